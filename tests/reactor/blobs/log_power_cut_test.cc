// Power cuts: a run of concurrent writers with rounds of sealing and merging in between is recorded on the simulated disk; then
// the power goes at every point where the durable state had changed and at many in between. Each image must hold every record
// that was acknowledged, none that was not sent, and none twice.

#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/thread.hh>

#include "tests/lib/from_environment.hh"
#include "tests/lib/running_logs.hh"

namespace {

using namespace testing_lib;

constexpr int64_t noon_ns = 1'794'830'400'000'000'000;

// Rounds every few dozen records, and merges of few blobs, into files of one source or shared ones.
running_logs::options settings(unsigned shards, uint64_t random) {
    running_logs::options o{.engine = {.shards_count = shards, .log_file_bytes = 64 << 10}, .logs = {}};
    o.engine.flush.memtable_bytes = 8'000;
    o.logs.seal_bytes = 12'000 + random % 40'000;
    o.logs.own_file_bytes = random % 2 == 0 ? 500 : 1'000'000;
    o.logs.merge_count = 2 + random % 3;
    o.logs.merge_every = std::chrono::milliseconds(1);
    if (random % 3 != 0) { // all hours are over: merges take whole files
        o.logs.now_ns = [] { return noon_ns + 48 * int64_t{3'600'000'000'000}; };
    }
    return o;
}

// Perhaps with less memory than the logs need.
running_logs::options settings_after_cut(std::mt19937_64& random) {
    auto o = settings(1 + static_cast<unsigned>(random() % seastar::smp::count), random());
    o.logs.memory_bytes_max = random() % 2 == 0 ? 6'000 + random() % 30'000 : o.logs.memory_bytes_max;
    return o;
}

struct sent_batch {
    std::vector<sent_record> records;
    uint64_t sent_at = 0;
    uint64_t acknowledged_at = UINT64_MAX; // operations of the disk by then
};

class recorded_run {
public:
    static constexpr unsigned writers_count = 4;
    static constexpr int batches_per_writer = 25;

    explicit recorded_run(uint64_t seed) : _seed(seed) {
        running_logs logs(disk, settings(seastar::smp::count, seed));
        const auto table = logs.engine().create("Rows");
        std::vector<seastar::future<>> fibers;
        for (unsigned w = 0; w < writers_count; ++w) {
            fibers.push_back(seastar::async([this, &logs, w] { write(logs, w); }));
        }
        fibers.push_back(seastar::async([&logs, table] { // rows share the log
            for (int i = 0; i < 20; ++i) {
                tables::row_batch_builder batch(table);
                batch.add_put("p", fmt::format("{}", i), {});
                logs.engine()->commit({batch.take(), {{tables::operation_kind::insert, std::nullopt}}}).get();
            }
        }));
        for (auto& fiber : fibers) {
            fiber.get();
        }
    }

    sim::sim_disk disk{{.yields_max = 3}};
    std::vector<sent_batch> batches;

private:
    void write(running_logs& logs, unsigned writer) {
        std::mt19937_64 random(_seed + writer);
        for (int i = 0; i < batches_per_writer; ++i) {
            sent_batch b{.sent_at = disk.operations_count()};
            for (unsigned r = 0; r < 1 + random() % 5; ++r) {
                const auto hour = static_cast<int64_t>(random() % 3) * 3'600'000'000'000;
                b.records.push_back({fmt::format("s{}", random() % 4), noon_ns + hour + i, static_cast<uint8_t>(random() % 9),
                                     fmt::format("{}-{}-{} {}", writer, i, r, std::string(random() % 200, 'x'))});
            }
            const auto index = batches.size();
            batches.push_back(b);
            const auto shard = static_cast<unsigned>(random() % seastar::smp::count);
            auto done = logs.all()
                            .invoke_on(shard,
                                       [&b](blobs::log_store& store) {
                                           return seastar::async([&] { return running_logs::append(store, b.records); });
                                       })
                            .get();
            ASSERT_TRUE(done) << base::to_string(done.error());
            batches[index].acknowledged_at = disk.operations_count();
        }
    }

    uint64_t _seed;
};

std::multiset<sent_record> contents(running_logs& logs) {
    std::multiset<sent_record> all;
    for (int s = 0; s < 4; ++s) {
        auto found = logs.search(fmt::format("s{}", s));
        EXPECT_TRUE(found) << base::to_string(found.error());
        if (found) {
            all.insert(found->begin(), found->end());
        }
    }
    return all;
}

void check(const recorded_run& run, uint64_t cut_at, const std::multiset<sent_record>& found) {
    size_t known = 0;
    for (const auto& b : run.batches) {
        size_t there = 0;
        for (const auto& r : b.records) {
            EXPECT_LE(found.count(r), 1u) << "twice: " << r.text;
            there += found.count(r);
        }
        EXPECT_TRUE(there == 0 || there == b.records.size()) << "a batch is not whole: " << b.records.front().text;
        EXPECT_TRUE(there > 0 || b.acknowledged_at > cut_at) << "acknowledged and lost: " << b.records.front().text;
        EXPECT_TRUE(there == 0 || b.sent_at <= cut_at) << "never sent: " << b.records.front().text;
        known += there;
    }
    EXPECT_EQ(known, found.size()) << "records that nobody sent";
}

void check_image(const recorded_run& run, uint64_t cut_at, sim::crash_policy policy, std::mt19937_64& random, bool cut_again) {
    auto image = run.disk.crash_image(cut_at, policy);
    if (cut_again) {
        const auto before = image->operations_count();
        {
            running_logs logs(*image, settings_after_cut(random));
        }
        const auto span = image->operations_count() - before;
        image = image->crash_image(before + random() % (span + 1), sim::crash_policy::random(random()));
    }
    running_logs logs(*image, settings_after_cut(random));
    ASSERT_TRUE(logs.is_open());
    check(run, cut_at, contents(logs));
}

TEST(log_power_cut, acknowledged_is_found_once_and_found_was_sent) {
    const auto seed = from_environment("DOWNTICK_SEED", std::random_device()());
    const auto wanted = from_environment("DOWNTICK_IMAGES", 400);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    uint64_t images = 0;
    for (uint64_t round = 0; images < wanted && !::testing::Test::HasFailure(); ++round) {
        const recorded_run run(seed + round);
        std::vector<std::pair<uint64_t, sim::crash_policy>> cuts;
        for (const auto boundary : run.disk.flush_boundaries()) {
            cuts.emplace_back(boundary, sim::crash_policy::drop_all());
        }
        for (int i = 0; i < 150; ++i) {
            const auto policy = i % 5 == 0 ? sim::crash_policy::keep_all() : sim::crash_policy::random(random());
            cuts.emplace_back(random() % (run.disk.operations_count() + 1), policy);
        }
        std::ranges::shuffle(cuts, random);
        for (const auto& [cut_at, policy] : cuts) {
            SCOPED_TRACE(fmt::format("round {} cut after operation {}", round, cut_at));
            check_image(run, cut_at, policy, random, images % 4 == 0);
            ++images;
            if (::testing::Test::HasFailure() || images >= wanted) {
                break;
            }
        }
    }
    fmt::print("{} images, seed {}\n", images, seed);
}

} // namespace

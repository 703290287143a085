// Power cuts: a run of concurrent writers is recorded on the simulated disk; then the power goes at every point where the durable
// state had changed and at many in between, with what was not flushed kept, dropped or mixed. Each image is opened as a crashed
// machine would, and must hold all that was acknowledged, nothing that was not sent, and transactions whole.

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>

#include "tests/lib/from_environment.hh"
#include "tests/lib/running_engine.hh"

namespace {

using namespace tables;
using namespace testing_lib;

// Segments every few dozen rows, in files of their own or shared, so that cuts come in all their steps too.
running_engine::options settings(unsigned shards, uint64_t random) {
    running_engine::options o{.shards_count = shards, .log_file_bytes = 64 << 10};
    o.flush.memtable_bytes = 8'000 + random % 30'000;
    o.flush.own_file_bytes = random % 2 == 0 ? 1'000 : 1'000'000;
    o.flush.block_rows_max = 1 + random % 20;
    o.merging = {.handful = 2 + random % 3, .files_max = 5};
    o.merge_every = std::chrono::milliseconds(1);
    return o;
}

// Perhaps with less memory than the logs need.
running_engine::options settings_after_cut(std::mt19937_64& random) {
    auto o = settings(1 + static_cast<unsigned>(random() % seastar::smp::count), random());
    o.memtable_bytes_max = random() % 2 == 0 ? 10'000 + random() % 30'000 : o.memtable_bytes_max;
    return o;
}

// One write of the run: `rows` rows "<id>-<n>" inserted in one transaction, or the counter row of its writer replaced by `id`.
struct sent_write {
    std::string partition;
    uint32_t rows = 0; // 0: the counter
    int32_t id = 0;
    uint64_t sent_at = 0;
    uint64_t acknowledged_at = UINT64_MAX; // operations of the disk by then
};

class recorded_run {
public:
    static constexpr unsigned writers_count = 6;
    static constexpr int writes_per_writer = 25;

    explicit recorded_run(uint64_t seed) : _seed(seed) {
        running_engine engine(disk, settings(seastar::smp::count, seed));
        table = engine.create("Runs");
        created_at = disk.operations_count();
        std::vector<seastar::future<>> fibers;
        for (unsigned w = 0; w < writers_count; ++w) {
            fibers.push_back(seastar::async([this, &engine, w] { write(engine, w); }));
        }
        for (auto& fiber : fibers) {
            fiber.get();
        }
    }

    sim::sim_disk disk{{.yields_max = 3}};
    base::table_id table;
    uint64_t created_at = 0;
    std::vector<sent_write> writes;

private:
    void write(running_engine& engine, unsigned writer) {
        std::mt19937_64 random(_seed + writer);
        for (int i = 0; i < writes_per_writer; ++i) {
            sent_write w{fmt::format("w{}", writer), static_cast<uint32_t>(random() % 4), static_cast<int32_t>(i),
                         disk.operations_count()};
            row_batch_builder batch(table);
            std::vector<operation> operations;
            for (uint32_t r = 0; r < std::max(w.rows, 1u); ++r) {
                const auto rk = w.rows == 0 ? "counter" : fmt::format("{:03}-{}", i, r);
                const std::string padding(random() % 300, 'x');
                batch.add_put(w.partition, rk,
                              std::vector<property>{{"id", value::of_int32(i)}, {"x", value::of_string(padding)}});
                operations.push_back({w.rows == 0 ? operation_kind::insert_or_replace : operation_kind::insert, std::nullopt});
            }
            const auto index = writes.size();
            writes.push_back(w);
            auto outcome = engine->commit({batch.take(), operations}).get();
            ASSERT_TRUE(outcome) << base::to_string(outcome.error().error);
            writes[index].acknowledged_at = disk.operations_count();
        }
    }

    uint64_t _seed;
};

// Everything an image holds: "partition|row" -> id.
std::map<std::string, int32_t> contents(running_engine& engine, base::table_id table) {
    std::map<std::string, int32_t> found;
    for (std::optional<entity_key> from = entity_key{}; from;) {
        auto page = engine->scan({.table = table, .ranges = {{*from, std::nullopt}}}).get();
        EXPECT_TRUE(page) << base::to_string(page.error());
        if (!page) {
            break;
        }
        for (const auto& row : page->rows) {
            found[fmt::format("{}|{}", row.partition_key, row.row_key)] = row.row.find("id")->as_int32();
        }
        from = page->next;
    }
    return found;
}

void check(const recorded_run& run, uint64_t cut_at, const std::map<std::string, int32_t>& found) {
    std::map<std::string, std::pair<int32_t, int32_t>> counters; // partition -> acknowledged at least, sent at most
    size_t known = 0;
    for (const auto& w : run.writes) {
        const bool must_be_there = w.acknowledged_at <= cut_at;
        const bool can_be_there = w.sent_at <= cut_at;
        if (w.rows == 0) {
            auto& bounds = counters.try_emplace(w.partition, -1, -1).first->second;
            bounds.first = must_be_there ? w.id : bounds.first;
            bounds.second = can_be_there ? w.id : bounds.second;
            continue;
        }
        uint32_t there = 0;
        for (uint32_t r = 0; r < w.rows; ++r) {
            there += found.contains(fmt::format("{}|{:03}-{}", w.partition, w.id, r));
        }
        EXPECT_TRUE(there == 0 || there == w.rows) << w.partition << " transaction " << w.id << " is not whole";
        EXPECT_TRUE(there == w.rows || !must_be_there) << w.partition << " write " << w.id << " was acknowledged and is lost";
        EXPECT_TRUE(there == 0 || can_be_there) << w.partition << " write " << w.id << " was never sent";
        known += there;
    }
    for (const auto& [partition, bounds] : counters) {
        const auto at = found.find(partition + "|counter");
        const int32_t value = at == found.end() ? -1 : at->second;
        known += at != found.end();
        EXPECT_TRUE(bounds.first <= value && value <= bounds.second) << partition << " counter " << value;
    }
    EXPECT_EQ(known, found.size()) << "rows that nobody sent";
}

// Opens the image, perhaps on another core count, and checks it. With `cut_again`, the recovery and merges after it are cut off
// and the image of that is checked.
void check_image(const recorded_run& run, uint64_t cut_at, sim::crash_policy policy, std::mt19937_64& random, bool cut_again) {
    auto image = run.disk.crash_image(cut_at, policy);
    if (cut_again) {
        const auto before = image->operations_count();
        {
            running_engine engine(*image, settings_after_cut(random));
            engine.compact(); // what another core count wrote is taken over
        }
        const auto span = image->operations_count() - before;
        image = image->crash_image(before + random() % (span + 1), sim::crash_policy::random(random()));
    }
    running_engine engine(*image, settings_after_cut(random));
    ASSERT_TRUE(engine.opened()) << base::to_string(engine.opened().error());
    EXPECT_TRUE(engine.opened()->damage.empty()) << "a power cut is no damage: " << engine.opened()->damage.front();
    const auto* info = engine->catalog().find("account", "Runs");
    if (info == nullptr) {
        EXPECT_LT(cut_at, run.created_at) << "the table is lost";
        return;
    }
    check(run, cut_at, contents(engine, info->id));
}

TEST(engine_power_cut, acknowledged_is_found_and_found_was_sent) {
    const auto seed = from_environment("DOWNTICK_SEED", std::random_device()());
    const auto wanted = from_environment("DOWNTICK_IMAGES", 1'000);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    uint64_t images = 0;
    for (uint64_t round = 0; images < wanted && !::testing::Test::HasFailure(); ++round) {
        const recorded_run run(seed + round);
        std::vector<std::pair<uint64_t, sim::crash_policy>> cuts;
        for (const auto boundary : run.disk.flush_boundaries()) {
            cuts.emplace_back(boundary, sim::crash_policy::drop_all());
        }
        for (int i = 0; i < 300; ++i) {
            const auto policy = i % 5 == 0 ? sim::crash_policy::keep_all() : sim::crash_policy::random(random());
            cuts.emplace_back(random() % (run.disk.operations_count() + 1), policy);
        }
        for (const auto& [cut_at, policy] : cuts) {
            SCOPED_TRACE(fmt::format("round {} cut after operation {}", round, cut_at));
            check_image(run, cut_at, policy, random, images % 8 == 0);
            ++images;
            if (::testing::Test::HasFailure() || images >= wanted) {
                break;
            }
        }
    }
    fmt::print("{} images, seed {}\n", images, seed);
}

} // namespace

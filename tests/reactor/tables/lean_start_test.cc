// Starts with much less memory than the logs were written with: what does not fit goes into files while they are still read. The
// logs are of several starts with other core counts, and nothing of them is in files. Such a start shows all of it, once, also
// when the power went anywhere in such a start before, or the disk was full.

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>

#include "tests/lib/from_environment.hh"
#include "tests/lib/running_logs.hh"

namespace {

using namespace tables;
using namespace testing_lib;
using sim::op_kind;

constexpr int64_t noon_ns = 1'794'830'400'000'000'000;
constexpr int partitions_count = 7;
constexpr int rows_per_partition = 9;
const std::vector<std::string> table_names{"Rows", "Small", "Again"};

running_logs::options ample(unsigned shards) {
    running_logs::options o{.engine = {.shards_count = shards, .log_file_bytes = 64 << 10}, .logs = {}};
    o.engine.flush.own_file_bytes = 6'000;
    o.engine.flush.block_rows_max = 8;
    o.engine.merging = {.handful = 2, .files_max = 3};
    o.logs.own_file_bytes = 1'000;
    o.logs.merge_every = std::chrono::hours(24);
    return o;
}

running_logs::options lean(unsigned shards, uint64_t random) {
    auto o = ample(shards);
    o.engine.memtable_bytes_max = 24'000 + random % 30'000;
    o.logs.memory_bytes_max = 10'000 + random % 20'000;
    return o;
}

unsigned some_shards(uint64_t random) {
    return 1 + static_cast<unsigned>(random % seastar::smp::count);
}

struct contents {
    using properties = std::map<std::string, int32_t>;
    std::map<std::string, std::map<std::string, properties>> tables; // rows by "partition|row"
    std::multiset<std::string> records;

    bool operator==(const contents&) const = default;
};

std::string to_text(const contents& c) {
    std::string text;
    for (const auto& [name, rows] : c.tables) {
        text += fmt::format("{}: {}\n", name, rows);
    }
    return text + fmt::format("{} records: {}", c.records.size(), c.records);
}

contents contents_of(running_logs& store) {
    contents all;
    for (const auto& name : table_names) {
        const auto* info = store.engine()->catalog().find("account", name);
        if (info == nullptr) {
            continue;
        }
        auto& rows = all.tables[name];
        auto page = store.engine()->scan({.table = info->id, .ranges = {key_range::all()}}).get();
        if (!page) {
            ADD_FAILURE() << name << ": " << base::to_string(page.error());
            continue;
        }
        for (const auto& row : page->rows) {
            auto& properties = rows[fmt::format("{}|{}", row.partition_key, row.row_key)];
            for (size_t i = 0; i < row.row.size(); ++i) {
                if (row.row[i].value.type() == value_type::int32) {
                    properties.emplace(row.row[i].name, row.row[i].value.as_int32());
                }
            }
        }
    }
    const auto records = store.search("source").value();
    std::ranges::transform(records, std::inserter(all.records, all.records.end()), &sent_record::text);
    return all;
}

// A writer and what it must find.
class written_store {
public:
    explicit written_store(uint64_t seed) : _random(seed) {
        const auto cores = seastar::smp::count;
        for (const unsigned shards : {cores, 1u, cores}) {
            const running_start start(*this, ample(shards));
            for (const auto& name : table_names) {
                if (!wanted.tables.contains(name)) {
                    create(name);
                }
            }
            for (int i = 0; i < 100; ++i) {
                write_some();
            }
            EXPECT_TRUE(store().engine()->drop_table("account", "Again").get());
            create("Again");
            for (int i = 0; i < 40; ++i) {
                write_some();
            }
        }
    }

    // The logs with all that was written, after the power has gone.
    std::unique_ptr<sim::sim_disk> image() const { return _disk->crash_image(sim::crash_policy::keep_all()); }

    contents wanted;

private:
    // For its lifetime nothing goes into files.
    class running_start {
    public:
        running_start(written_store& owner, running_logs::options o) : _owner(owner) {
            for (const auto* path : {"segments/*", "blobs/*"}) {
                owner._disk->fail_at({.at = {op_kind::create, path}, .times = UINT32_MAX, .error = ENOSPC});
            }
            owner._store = std::make_unique<running_logs>(*owner._disk, o);
        }
        ~running_start() {
            auto image = _owner.image(); // as it is before an orderly stop
            _owner._store = nullptr;
            _owner._disk = std::move(image);
        }
        running_start(const running_start&) = delete;

    private:
        written_store& _owner;
    };

    running_logs& store() { return *_store; }

    void create(const std::string& name) {
        store().engine().create(name);
        wanted.tables[name] = {};
    }

    void write_some() {
        const auto& name = table_names[_random() % 8 == 0 ? 1 + _random() % 2 : 0];
        const auto pk = fmt::format("p{}", _random() % partitions_count);
        const auto rk = fmt::format("{}", _random() % rows_per_partition);
        const auto n = static_cast<int32_t>(_random() % 1'000'000);
        const auto property_name = fmt::format("n{}", _random() % 4);
        const std::string padding(_random() % 400, 'x');
        row_batch_builder batch(store().engine()->catalog().find("account", name)->id);
        auto& row = wanted.tables[name][pk + '|' + rk];
        const std::vector<property> properties{{property_name, value::of_int32(n)}, {"x", value::of_string(padding)}};
        switch (_random() % 5) {
        case 0:
            batch.add_remove(pk, rk);
            wanted.tables[name].erase(pk + '|' + rk);
            break;
        case 1:
            batch.add_put(pk, rk, properties);
            row = {{property_name, n}};
            break;
        default: batch.add(row_kind::merge, pk, rk, properties); row[property_name] = n;
        }
        auto& engine = *store().engine();
        ASSERT_TRUE(engine.upsert(engine.owner_of(pk), batch.take()).get());
        if (_random() % 3 == 0) {
            append_records();
        }
    }

    void append_records() {
        std::vector<sent_record> some;
        for (uint64_t i = 0; i < 1 + _random() % 3; ++i) {
            some.push_back(
                {"source", noon_ns + ++_records_count, 3, fmt::format("{} {}", _records_count, std::string(200, 'y'))});
            wanted.records.insert(some.back().text);
        }
        const auto shard = static_cast<unsigned>(_random() % seastar::smp::count);
        const auto done = store()
                              .all()
                              .invoke_on(shard,
                                         [&some](blobs::log_store& s) {
                                             return s.needed_from() == base::sequence()
                                                        ? seastar::make_ready_future<base::expected<void>>(
                                                              base::fail(base::errc::shutting_down))
                                                        : seastar::async([&] { return running_logs::append(s, some); });
                                         })
                              .get();
        if (!done) { // a shard that is not in use
            ASSERT_TRUE(store().append(some));
        }
    }

    std::mt19937_64 _random;
    int64_t _records_count = 0;
    std::unique_ptr<sim::sim_disk> _disk = std::make_unique<sim::sim_disk>();
    std::unique_ptr<running_logs> _store;
};

void expect_all(const written_store& written, running_logs& store) {
    ASSERT_TRUE(store.is_open()) << base::to_string(store.engine().opened().error());
    EXPECT_TRUE(store.engine().opened()->damage.empty()) << store.engine().opened()->damage.front();
    const auto found = contents_of(store);
    EXPECT_TRUE(found == written.wanted) << "found " << to_text(found) << "\ninstead of " << to_text(written.wanted);
}

// In its life, whatever became of them.
size_t files_made(const sim::sim_disk& disk, const std::string& folder) {
    return static_cast<size_t>(std::ranges::count_if(
        disk.operations(), [&](const sim::operation& op) { return op.kind == op_kind::create && op.path.starts_with(folder); }));
}

uint64_t seed_of_this_run() {
    static const auto seed = from_environment("DOWNTICK_SEED", std::random_device()());
    return seed;
}

TEST(lean_start, has_all_that_the_logs_have) {
    SCOPED_TRACE(fmt::format("seed {}", seed_of_this_run()));
    const written_store written(seed_of_this_run());
    for (unsigned shards = 1; shards <= seastar::smp::count; ++shards) {
        auto disk = written.image();
        {
            running_logs store(*disk, lean(shards, 0));
            expect_all(written, store);
            EXPECT_GT(files_made(*disk, "segments/"), 6 * shards) << "rows did not go into files";
            EXPECT_GT(files_made(*disk, "blobs/"), 2 * shards) << "records did not go into files";
        }
        running_logs again(*disk, ample(some_shards(shards)));
        expect_all(written, again);
    }
}

TEST(lean_start, reads_the_rest_into_memory_when_the_disk_is_full) {
    SCOPED_TRACE(fmt::format("seed {}", seed_of_this_run()));
    const written_store written(seed_of_this_run());
    auto disk = written.image();
    for (const auto* path : {"segments/*", "blobs/*"}) {
        disk->fail_at({.at = {op_kind::create, path}, .nth = 2, .times = 1'000, .error = ENOSPC});
    }
    {
        running_logs store(*disk, lean(1, 0));
        expect_all(written, store);
    }
    disk->clear_faults();
    running_logs again(*disk, lean(seastar::smp::count, 0));
    expect_all(written, again);
}

// What is written to it afterwards is newer than all that was read.
TEST(lean_start, goes_on_above_what_it_read) {
    SCOPED_TRACE(fmt::format("seed {}", seed_of_this_run()));
    const written_store written(seed_of_this_run());
    auto disk = written.image();
    auto wanted = written.wanted;
    base::tick first, last;
    {
        running_logs store(*disk, lean(seastar::smp::count, 0));
        auto& engine = store.engine();
        const auto table = engine->catalog().find("account", "Rows")->id;
        auto page = engine->scan({.table = table, .ranges = {key_range::all()}}).get();
        ASSERT_TRUE(page);
        for (const auto& row : page->rows) {
            last = std::max(last, row.timestamp);
        }
        for (auto& [key, properties] : wanted.tables["Rows"]) {
            row_batch_builder batch(table);
            batch.add_put(key.substr(0, key.find('|')), key.substr(key.find('|') + 1),
                          std::vector<property>{{"n", value::of_int32(1)}});
            const auto done = engine->commit({batch.take(), {{operation_kind::insert_or_replace, std::nullopt}}}).get();
            ASSERT_TRUE(done);
            first = first.value == 0 ? *done : first;
            properties = {{"n", 1}};
        }
        EXPECT_GT(first, last);
        engine.flush();
        engine.compact();
    }
    for (unsigned shards = 1; shards <= seastar::smp::count; ++shards) {
        running_logs store(*disk, lean(shards, 0));
        EXPECT_TRUE(contents_of(store) == wanted) << to_text(contents_of(store)) << "\ninstead of " << to_text(wanted);
        store.engine().compact();
    }
}

// With `is_full`, the first files that a start wants to write are refused.
void start_and_stop(const written_store& written, sim::sim_disk& disk, std::mt19937_64& random, bool is_full) {
    if (is_full) {
        for (const auto* path : {"segments/*", "blobs/*"}) {
            disk.fail_at({.at = {op_kind::create, path}, .nth = 1 + random() % 3, .times = 1 + random() % 2, .error = ENOSPC});
        }
    }
    running_logs store(disk, lean(some_shards(random()), random()));
    expect_all(written, store);
    disk.clear_faults();
    store.engine().flush();
    EXPECT_TRUE(store.seal());
    if (random() % 2 == 0) {
        store.engine().compact();
    }
}

sim::crash_policy some_policy(std::mt19937_64& random) {
    switch (random() % 3) {
    case 0: return sim::crash_policy::drop_all();
    case 1: return sim::crash_policy::keep_all();
    default: return sim::crash_policy::random(random());
    }
}

TEST(lean_start, can_be_cut_off_anywhere_and_begun_again) {
    const auto seed = seed_of_this_run();
    const auto wanted = from_environment("DOWNTICK_IMAGES", 400);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    uint64_t images = 0;
    while (images < wanted && !::testing::Test::HasFailure()) {
        const written_store written(seed + images);
        for (int start = 0; start < 4; ++start) {
            auto disk = written.image();
            const auto before = disk->operations_count();
            start_and_stop(written, *disk, random, start % 2 == 1);
            const auto span = disk->operations_count() - before;
            for (int cut = 0; cut < 25 && !::testing::Test::HasFailure(); ++cut, ++images) {
                const auto cut_at = before + random() % (span + 1);
                SCOPED_TRACE(
                    fmt::format("image {}: start {} cut after operation {} of {}", images, start, cut_at - before, span));
                auto image = disk->crash_image(cut_at, some_policy(random));
                if (cut % 3 == 0) { // and once more
                    const auto again = image->operations_count();
                    start_and_stop(written, *image, random, cut % 2 == 0);
                    const auto more = image->operations_count() - again;
                    image = image->crash_image(again + random() % (more + 1), some_policy(random));
                }
                running_logs store(*image, cut % 4 == 0 ? ample(some_shards(random())) : lean(some_shards(random()), random()));
                expect_all(written, store);
            }
        }
    }
    fmt::print("{} images, seed {}\n", images, seed);
}

} // namespace

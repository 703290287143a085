// Starts with other core counts that were interrupted: each leaves logs and files behind that the next one finds.

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>

#include "base/placement.hh"
#include "shard/wal_files.hh"
#include "tests/lib/running_engine.hh"

namespace {

using namespace tables;
using namespace testing_lib;
using sim::op_kind;

class core_counts : public ::testing::Test {
protected:
    void SetUp() override {
        start(2);
        table = engine->create("Cores");
    }

    void start(unsigned shards, size_t handful = 16) {
        running_engine::options o{.shards_count = shards, .log_file_bytes = 64 << 10};
        o.merging.handful = handful;
        engine = std::make_unique<running_engine>(*disk, o);
        ASSERT_TRUE(engine->opened()) << base::to_string(engine->opened().error());
    }

    void cut_power() {
        auto image = disk->crash_image(sim::crash_policy::keep_all());
        engine.reset();
        disk = std::move(image);
    }

    void put(const std::string& pk, const std::string& rk, int32_t number) {
        const std::string fill(500, 'x');
        row_batch_builder rows(table);
        rows.add_put(pk, rk, std::vector<property>{{"fill", value::of_string(fill)}, {"n", value::of_int32(number)}});
        const auto done = (*engine)->commit({rows.take(), {{operation_kind::insert_or_replace, std::nullopt}}}).get();
        ASSERT_TRUE(done) << base::to_string(done.error().error);
    }

    void remove(const std::string& pk, const std::string& rk) {
        row_batch_builder rows(table);
        rows.add_remove(pk, rk);
        ASSERT_TRUE((*engine)->commit({rows.take(), {{operation_kind::remove, std::nullopt}}}).get());
    }

    int32_t read(const std::string& pk, const std::string& rk) {
        const auto found = (*engine)->get(table, pk, rk).get();
        return found ? found->rows().begin()->row.find("n")->as_int32() : -1;
    }

    // A key of a partition that this one of two shards owns.
    static std::string partition_of(unsigned shard) {
        for (int i = 0;; ++i) {
            if (auto pk = fmt::format("p{}", i); base::placement().shard_of(pk, 2) == shard) {
                return pk;
            }
        }
    }

    // They cannot be removed.
    void keep_logs_of_shard_1() { disk->fail_at({.at = {op_kind::remove, "*/001-*"}, .times = 1'000}); }

    std::vector<std::string> logs() { return disk->list(shard::wal_folder).get(); }

    // Rows of the partition, flushed, until the log files there are now are gone. False: they stay.
    bool write_until_gone(const std::string& pk, const std::vector<std::string>& files) {
        const auto is_there = [now = std::vector<std::string>(), this](const std::string& name) mutable {
            now = logs();
            return std::ranges::contains(now, name);
        };
        for (int i = 0; i < 2'000 && std::ranges::any_of(files, is_there); ++i) {
            put(pk, fmt::format("{}", i), i);
            if (i % 100 == 99) {
                engine->flush();
            }
        }
        return std::ranges::none_of(files, is_there);
    }

    // Of the table, on this shard.
    tables::engine::table_segments segments() {
        const auto all = (*engine)->segments_here();
        const auto found = std::ranges::find(all, table, &tables::engine::table_segments::table);
        return found == all.end() ? tables::engine::table_segments() : *found;
    }
    bool merge(size_t first, size_t count) {
        return (*engine)->merge_here(table, segments().generation, first, count, [] { return false; }).get().has_value();
    }

    std::unique_ptr<sim::sim_disk> disk = std::make_unique<sim::sim_disk>();
    std::unique_ptr<running_engine> engine;
    base::table_id table;
};

TEST_F(core_counts, a_row_in_an_old_log_stays_below_its_newer_version_in_a_file) {
    const auto busy = partition_of(0);
    const auto quiet = partition_of(1);
    put(quiet, "r", 1);
    cut_power();

    // One shard: the row gets a new version, which is flushed, and the log that had it goes. That of the old one does not yet.
    keep_logs_of_shard_1();
    start(1);
    put(quiet, "r", 2);
    auto with_second = logs();
    std::erase_if(with_second, [](const std::string& name) { return !name.starts_with("000-"); });
    engine->flush();
    ASSERT_TRUE(write_until_gone(busy, with_second));
    ASSERT_TRUE(std::ranges::any_of(logs(), [](const std::string& name) { return name.starts_with("001-"); }));
    EXPECT_EQ(read(quiet, "r"), 2);
    cut_power();

    // Two shards again: only one of them has something to flush.
    keep_logs_of_shard_1();
    start(2);
    EXPECT_EQ(read(quiet, "r"), 2);
    put(busy, "r", 3);
    engine->flush();
    cut_power();

    start(2);
    EXPECT_EQ(read(quiet, "r"), 2);
    EXPECT_EQ(read(busy, "r"), 3);
}

TEST_F(core_counts, merges_take_rows_out_of_files_of_another_core_count) {
    constexpr int rows = 60;
    const auto key = [](int i) { return fmt::format("p{}", i); };
    const auto check = [&] {
        for (int i = 0; i < rows; ++i) {
            EXPECT_EQ(read(key(i), "r"), i % 2 == 0 ? 1'000 + i : i);
        }
    };
    for (int i = 0; i < rows; ++i) {
        put(key(i), "r", i);
    }
    engine->flush();
    for (int i = 0; i < rows; i += 2) {
        put(key(i), "r", 1'000 + i);
    }
    engine->flush();
    const auto old = disk->list("segments").get();
    for (const unsigned shards : {seastar::smp::count, 1u, 2u, seastar::smp::count, 1u}) {
        engine.reset();
        start(shards, 2);
        check();
        engine->compact();
        check();
    }
    engine.reset();
    start(1);
    check();
    for (const auto& name : disk->list("segments").get()) {
        EXPECT_FALSE(std::ranges::contains(old, name)) << name;
    }
}

// Each shard counts its sequences for itself. Once a file has rows of two of them, theirs cannot tell any more which file is
// newer.
TEST_F(core_counts, rows_of_an_earlier_start_stay_above_files_that_were_merged_before_their_flush) {
    const auto busy = partition_of(0);
    const auto quiet = partition_of(1);
    for (int i = 0; i < 50; ++i) {
        put(busy, std::to_string(i), i);
    }
    put(quiet, "r", 1);
    engine->flush();
    put(quiet, "r", 2); // to be found in the log
    cut_power();

    start(1);
    engine->flush();
    ASSERT_EQ(segments().newest_first.size(), 3u);
    ASSERT_TRUE(merge(1, 2));
    engine.reset();
    start(1);
    EXPECT_EQ(read(quiet, "r"), 2);
}

// Two shards flush what they have read before they write anything: both files have the same sequence.
TEST_F(core_counts, of_files_with_the_same_place_in_the_order_none_is_merged_with_older_ones_alone) {
    const auto one = partition_of(0);
    const auto other = partition_of(1);
    engine.reset();
    start(1);
    for (const int version : {1, 2}) {
        put(one, "r", version);
        put(other, "r", version);
        if (version == 1) {
            engine->flush();
        }
    }
    cut_power();
    start(2);
    engine->flush();
    engine.reset();

    start(1);
    const auto all = segments().newest_first;
    ASSERT_EQ(all.size(), 3u);
    EXPECT_FALSE(all[1].can_begin);
    EXPECT_FALSE(merge(1, 2));
    ASSERT_TRUE(merge(0, 2));
    ASSERT_TRUE(merge(0, 2));
    engine.reset();
    start(1);
    EXPECT_EQ(read(one, "r"), 2);
    EXPECT_EQ(read(other, "r"), 2);
}

class key_list final : public row_visitor {
public:
    bool visit(std::string_view, std::string_view row_key, base::tick, const row_view&) override {
        keys.emplace_back(row_key);
        return true;
    }
    std::vector<std::string> keys;
};

// The one shard of a start writes a file with rows of both; one of them takes its rows out of it, and the other one does not.
TEST_F(core_counts, a_row_that_was_removed_is_not_the_newest_one_of_a_file_that_others_still_read) {
    constexpr int rows = 100; // so many that a segment keeps the newest one in its directory
    const auto here = partition_of(0);
    const auto key = [](int i) { return base::inverted_text(base::tick{(1'000 + i) * base::ticks_per_second}); };
    engine.reset();
    start(1);
    for (int i = 0; i < rows; ++i) {
        put(here, key(i), i);
        put(partition_of(1), key(i), i);
    }
    engine->flush();
    engine.reset();

    start(2);
    remove(here, key(rows - 1));
    engine->flush();
    ASSERT_EQ(segments().newest_first.size(), 2u);
    ASSERT_TRUE(merge(0, 2));
    engine.reset();

    start(1);
    ASSERT_EQ(segments().newest_first.size(), 2u);
    key_list newest;
    const auto end = (*engine)->visit_newest_here({.table = table, .ranges = {key_range::partition(here)}}, newest).get();
    ASSERT_TRUE(end) << base::to_string(end.error());
    EXPECT_EQ(newest.keys, std::vector<std::string>{key(rows - 2)});
}

} // namespace

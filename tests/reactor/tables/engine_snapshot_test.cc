// Snapshots of an engine on a real directory, opened as a store of their own.

#include <atomic>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/gate.hh>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>

#include "shard/background.hh"
#include "tests/lib/running_engine.hh"
#include "tests/lib/temporary_directory.hh"

namespace {

using namespace tables;
using namespace testing_lib;

running_engine::options options(uint64_t own_file_bytes = 1 << 20) {
    running_engine::options o{.shards_count = seastar::smp::count};
    o.flush.own_file_bytes = own_file_bytes;
    return o;
}

bool write(running_engine& engine, base::table_id table, int number) {
    row_batch_builder rows(table);
    rows.add_put(fmt::format("p{}", number % 7), fmt::format("r{:06}", number),
                 std::vector<property>{{"n", value::of_int32(number)}});
    return engine->commit({rows.take(), {{operation_kind::insert, std::nullopt}}}).get().has_value();
}

bool has(running_engine& engine, base::table_id table, int number) {
    return engine->get(table, fmt::format("p{}", number % 7), fmt::format("r{:06}", number)).get().has_value();
}

TEST(engine_snapshot, what_is_in_files_and_what_is_in_the_log_is_in_it) {
    const temporary_directory data;
    base::table_id table;
    {
        running_engine engine(data.path(), options());
        table = engine.create("Rows");
        for (int i = 0; i < 50; ++i) {
            ASSERT_TRUE(write(engine, table, i));
        }
        engine.flush();
        for (int i = 50; i < 100; ++i) {
            ASSERT_TRUE(write(engine, table, i));
        }
        const auto report = engine->snapshot("copy").get();
        ASSERT_TRUE(report) << base::to_string(report.error());
        EXPECT_GT(report->files_count, 0u);
        EXPECT_GT(report->logs_count, 0u);
        ASSERT_TRUE(write(engine, table, 100));
        ASSERT_TRUE(engine->drop_table(engine->catalog().find(table)->account, "Rows").get()) << "the copy keeps its own";
    }
    running_engine copy(data.path() + "/copy", options());
    ASSERT_TRUE(copy.opened());
    EXPECT_EQ(copy.opened()->damage, std::vector<std::string>());
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(has(copy, table, i)) << i;
    }
    EXPECT_FALSE(has(copy, table, 100));
    EXPECT_TRUE(write(copy, table, 101));
}

// Writes, flushes and merges one after the other until told to stop.
seastar::future<> churn(running_engine& engine, base::table_id table, int first, std::atomic<int>& acknowledged,
                        const bool& is_over) {
    return seastar::async([&engine, table, first, &acknowledged, &is_over] {
        for (int i = first; !is_over; ++i) {
            if (!write(engine, table, i)) {
                return;
            }
            acknowledged = i;
            if (i % 40 == 0) {
                engine.flush();
                engine.compact();
            }
        }
    });
}

TEST(engine_snapshot, taken_amid_writes_flushes_and_merges_it_has_all_that_was_acknowledged_before) {
    const temporary_directory data;
    std::vector<int> acknowledged_before;
    base::table_id table;
    {
        running_engine engine(data.path(), options());
        table = engine.create("Rows");
        std::atomic<int> acknowledged = -1;
        bool is_over = false;
        seastar::gate work;
        shard::run_in_background(work, "churn", [&] { return churn(engine, table, 0, acknowledged, is_over); });
        for (int round = 0; round < 8; ++round) {
            while (acknowledged < round * 60) {
                seastar::thread::yield();
            }
            acknowledged_before.push_back(acknowledged);
            const auto report = engine->snapshot(fmt::format("copy{}", round)).get();
            ASSERT_TRUE(report) << base::to_string(report.error());
        }
        is_over = true;
        work.close().get();
    }
    for (size_t round = 0; round < acknowledged_before.size(); ++round) {
        running_engine copy(data.path() + fmt::format("/copy{}", round), options());
        ASSERT_TRUE(copy.opened());
        EXPECT_EQ(copy.opened()->damage, std::vector<std::string>());
        for (int i = 0; i <= acknowledged_before[round]; ++i) {
            ASSERT_TRUE(has(copy, table, i)) << "round " << round << " row " << i;
        }
    }
}

TEST(engine_snapshot, sequences_go_on_when_nothing_was_written_after_it) {
    const temporary_directory data;
    base::table_id table;
    {
        running_engine engine(data.path(), options());
        table = engine.create("Rows");
        ASSERT_TRUE(write(engine, table, 1));
        ASSERT_TRUE(engine->snapshot("copy").get());
        engine.flush(); // no file of the log is left
    }
    for (const auto& path : {data.path(), data.path() + "/copy"}) {
        running_engine again(path, options());
        ASSERT_TRUE(again.opened());
        row_batch_builder rows(table);
        rows.add_put("p1", "r000001", std::vector<property>{{"n", value::of_int32(2)}});
        ASSERT_TRUE(again->commit({rows.take(), {{operation_kind::replace, std::nullopt}}}).get());
        const auto row = again->get(table, "p1", "r000001").get();
        ASSERT_TRUE(row);
        EXPECT_EQ(to_text(*row->rows().begin()), "p1|r000001|n=i2,");
    }
}

// As a share of what it took to write them: under a second on a machine that does nothing else.
TEST(engine_snapshot, a_thousand_files_are_linked_in_a_moment) {
    const temporary_directory data;
    running_engine engine(data.path(), options(0));
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1'000; ++i) {
        ASSERT_TRUE(write(engine, engine.create(fmt::format("Rows{}", i)), i));
    }
    engine.flush();
    const auto begin = std::chrono::steady_clock::now();
    const auto report = engine->snapshot("copy").get();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(report) << base::to_string(report.error());
    EXPECT_GE(report->files_count, 1'000u);
    RecordProperty("seconds", fmt::to_string(took.count()));
    fmt::print("{} files in {:.3f} s\n", report->files_count, took.count());
    EXPECT_LT(took, (begin - start) / 5);
}

TEST(engine_snapshot, an_unfinished_one_is_in_nobodys_way) {
    const temporary_directory data;
    running_engine engine(data.path(), options());
    ASSERT_TRUE(write(engine, engine.create("Rows"), 1));
    ASSERT_TRUE(engine->snapshot("copy").get());
    ASSERT_TRUE(engine->snapshot("copy").get()) << "takes the place of the one before";
    engine->remove_snapshot("copy").get();
    EXPECT_FALSE(std::filesystem::exists(data.path() + "/copy"));
    engine->remove_snapshot("copy").get();
}

} // namespace

// A disk that fails: errors and full disks at every n-th operation of every kind, and flipped bits in every file.

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>

#include "tests/lib/running_engine.hh"

namespace {

using namespace tables;
using namespace testing_lib;
using base::errc;

const running_engine::options small{.shards_count = 1, .log_file_bytes = 64 << 10, .flush = {.memtable_bytes = 3'000, .block_rows_max = 4}};

commit_outcome put(running_engine& engine, base::table_id table, int id) {
    row_batch_builder rows(table);
    rows.add_put("p", fmt::format("{:04}", id), std::vector<property>{{"n", value::of_int32(id)}});
    return engine->commit({rows.take(), {{operation_kind::insert, std::nullopt}}}).get();
}

std::set<int> ids_in(running_engine& engine) {
    std::set<int> ids;
    const auto* info = engine->catalog().find("account", "Faults");
    if (info == nullptr) {
        return ids;
    }
    auto page = engine->scan({.table = info->id, .ranges = {key_range::all()}}).get();
    EXPECT_TRUE(page);
    for (const auto& row : page->rows) {
        ids.insert(row.row.find("n")->as_int32());
    }
    return ids;
}

// Writes until the fault has struck and a little longer; returns what was acknowledged, and what was refused.
struct outcome {
    std::set<int> acknowledged;
    std::set<int> failed;
};

outcome write_through(sim::sim_disk& disk, const sim::fault& fault) {
    outcome result;
    running_engine engine(disk, small);
    if (!engine.opened()) {
        return result;
    }
    auto created = engine->create_table({"account", "Faults", {}}).get();
    if (!created) {
        return result;
    }
    disk.fail_at(fault);
    for (int id = 0; id < 60; ++id) {
        const auto written = put(engine, created->id, id);
        (written ? result.acknowledged : result.failed).insert(id);
        const auto found = ids_in(engine);
        for (int ok : result.acknowledged) {
            EXPECT_TRUE(found.contains(ok)) << ok << " was acknowledged and cannot be read";
        }
        if (!engine->can_write()) {
            EXPECT_EQ(found, result.acknowledged) << "after a failed flush only what was durable is readable";
        }
    }
    return result;
}

TEST(engine_fault, an_error_at_any_operation_loses_nothing_that_was_acknowledged) {
    unsigned struck = 0;
    for (auto kind : {sim::op_kind::write, sim::op_kind::flush, sim::op_kind::create, sim::op_kind::rename, sim::op_kind::remove,
                      sim::op_kind::sync_directory, sim::op_kind::truncate}) {
        for (int error : {EIO, ENOSPC}) {
            for (auto effect : {sim::fault_effect::nothing, sim::fault_effect::torn}) {
                for (uint64_t nth : {1u, 2u, 3u, 7u, 20u, 41u}) {
                    SCOPED_TRACE(fmt::format("kind {} error {} effect {} nth {}", static_cast<int>(kind), error, static_cast<int>(effect), nth));
                    sim::sim_disk disk;
                    const auto result = write_through(disk, {.at = {.kind = kind}, .nth = nth, .error = error, .effect = effect});
                    struck += !result.failed.empty();
                    disk.clear_faults();
                    running_engine engine(disk, small);
                    ASSERT_TRUE(engine.opened()) << base::to_string(engine.opened().error());
                    const auto found = ids_in(engine);
                    for (int id : result.acknowledged) {
                        EXPECT_TRUE(found.contains(id)) << id << " was acknowledged and is lost after a restart";
                    }
                }
            }
        }
    }
    EXPECT_GT(struck, 20u) << "the faults did not reach the writes";
}

TEST(engine_fault, a_failed_flush_ends_acknowledgements_until_a_restart) {
    sim::sim_disk disk;
    std::set<int> acknowledged;
    {
        running_engine engine(disk, small);
        const auto table = engine.create("Faults");
        ASSERT_TRUE(put(engine, table, 1));
        disk.fail_at({.at = {.kind = sim::op_kind::flush, .path = "log/*"}, .times = 100});
        const auto failed = put(engine, table, 2);
        disk.clear_faults();
        ASSERT_FALSE(failed);
        EXPECT_EQ(failed.error().error.code, errc::log_failed);
        EXPECT_FALSE(engine->can_write());
        EXPECT_EQ(put(engine, table, 3).error().error.code, errc::log_failed) << "the next flush would succeed, and mean nothing";
        EXPECT_EQ(ids_in(engine), std::set<int>{1});
    }
    running_engine engine(disk, small);
    EXPECT_TRUE(ids_in(engine).contains(1));
    EXPECT_TRUE(engine->can_write());
}

TEST(engine_fault, a_full_disk_refuses_writes_and_takes_them_again_when_there_is_space) {
    sim::sim_disk disk;
    running_engine engine(disk, small);
    const auto table = engine.create("Faults");
    ASSERT_TRUE(put(engine, table, 0));
    disk.fill();
    int id = 1;
    errc code = errc::io_error;
    for (; id < 2000; ++id) {
        if (auto written = put(engine, table, id); !written) {
            code = written.error().error.code;
            break;
        }
    }
    EXPECT_EQ(code, errc::out_of_space);
    EXPECT_EQ(ids_in(engine).size(), static_cast<size_t>(std::min(id, 1000))) << "reads go on";
    EXPECT_TRUE(engine->drop_table("account", "Faults").get()) << "drops work at zero free bytes";
    disk.set_capacity(uint64_t{1} << 30);
    const auto again = engine.create("Faults");
    EXPECT_TRUE(put(engine, again, 1)) << "writing resumes by itself";
}

TEST(engine_fault, below_the_reserve_writes_stop_with_a_sentence_and_drops_do_not) {
    sim::sim_disk disk;
    disk.set_capacity(uint64_t{8} << 20);
    auto options = small;
    options.disk_reserve_bytes = uint64_t{16} << 20;
    running_engine engine(disk, options);
    const auto table = engine.create("Faults");
    const auto refused = put(engine, table, 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error.code, errc::out_of_space);
    EXPECT_NE(refused.error().error.detail.find("retention"), std::string::npos) << refused.error().error.detail;
    EXPECT_TRUE(ids_in(engine).empty()) << "reads go on";
    EXPECT_TRUE(engine->drop_table("account", "Faults").get());
}

// Every file that a run leaves, one bit flipped at a time: it opens, and what it shows is a subset of what was written; what is
// missing is told. Only a flip in a log may cost rows.
TEST(engine_fault, a_flipped_bit_is_detected_or_harmless) {
    sim::sim_disk disk;
    {
        running_engine engine(disk, {.shards_count = 1, .log_file_bytes = 64 << 10});
        const auto table = engine.create("Faults");
        for (int id = 0; id < 40; ++id) {
            ASSERT_TRUE(put(engine, table, id));
        }
    }
    const std::set<std::string> folders{"log", "manifest", "segments"};
    std::vector<std::string> paths;
    for (const auto& name : disk.list("").get()) {
        if (!folders.contains(name)) {
            paths.push_back(name);
        }
    }
    for (const auto& folder : folders) {
        for (const auto& name : disk.list(folder).get()) {
            paths.push_back(folder + "/" + name);
        }
    }
    for (const auto& path : paths) {
        auto file = disk.open(path, shard::open_mode::read).get();
        const auto size = file->size().get();
        file->close().get();
        for (uint64_t i = 0; i < 60 && size > 0; ++i) {
            const auto offset = i < 40 ? i * 61 % std::min<uint64_t>(size, 20'000) : i * 7919 % size;
            SCOPED_TRACE(fmt::format("{} byte {}", path, offset));
            auto image = disk.crash_image(sim::crash_policy::keep_all());
            image->flip_bit(path, offset, i % 8);
            running_engine engine(*image, small);
            ASSERT_TRUE(engine.opened()) << base::to_string(engine.opened().error());
            const auto found = ids_in(engine);
            EXPECT_TRUE(found.size() == 40 || (path.starts_with("log/") && !engine.opened()->damage.empty())) << found.size();
            EXPECT_GE(found.size(), 38u) << "one bit costs one record, not more";
        }
    }
}

// Forty rows in blocks of four: a damaged block is an error for its rows and no others; damage of what leads to the blocks is an
// error for them all, and told at the start. Never a wrong answer.
TEST(engine_fault, a_flipped_bit_in_a_segment_costs_its_block_only) {
    sim::sim_disk disk;
    base::table_id table;
    {
        running_engine engine(disk, small);
        table = engine.create("Faults");
        for (int id = 0; id < 40; ++id) {
            ASSERT_TRUE(put(engine, table, id));
        }
        engine.flush();
    }
    const auto names = disk.list("segments").get();
    ASSERT_FALSE(names.empty());
    unsigned whole_segments = 0, single_blocks = 0;
    for (const auto& name : names) {
        const auto path = "segments/" + name;
        auto file = disk.open(path, shard::open_mode::read).get();
        const auto size = file->size().get();
        file->close().get();
        for (uint64_t offset = 0; offset < size; offset += 7) {
            SCOPED_TRACE(fmt::format("{} byte {}", path, offset));
            auto image = disk.crash_image(sim::crash_policy::keep_all());
            image->flip_bit(path, offset, offset % 8);
            running_engine engine(*image, {.shards_count = 1, .log_file_bytes = 64 << 10});
            ASSERT_TRUE(engine.opened()) << base::to_string(engine.opened().error());
            size_t refused = 0;
            for (int id = 0; id < 40; ++id) {
                const auto row = engine->get(table, "p", fmt::format("{:04}", id)).get();
                if (!row) {
                    EXPECT_EQ(row.error().code, errc::corrupt);
                    ++refused;
                } else {
                    EXPECT_EQ(row->rows().begin()->row.find("n")->as_int32(), id);
                }
            }
            EXPECT_TRUE(refused <= 4 || !engine.opened()->damage.empty()) << refused;
            whole_segments += refused > 4;
            single_blocks += refused > 0 && refused <= 4;
        }
    }
    EXPECT_GT(whole_segments, 0u);
    EXPECT_GT(single_blocks, 0u);
}

} // namespace

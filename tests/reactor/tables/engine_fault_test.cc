// A disk that fails: errors and full disks at every n-th operation of every kind, and flipped bits in every file.

#include <atomic>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>

#include "shard/scrub.hh"

#include "tests/lib/running_engine.hh"

namespace {

using namespace tables;
using namespace testing_lib;
using base::errc;

const running_engine::options small{
    .shards_count = 1, .log_file_bytes = 64 << 10, .flush = {.memtable_bytes = 3'000, .block_rows_max = 4}};

// Nothing goes to segments by itself.
const running_engine::options calm{.shards_count = 1, .log_file_bytes = 64 << 10};

commit_outcome put(running_engine& engine, base::table_id table, int id) {
    row_batch_builder rows(table);
    rows.add_put("p", fmt::format("{:04}", id), std::vector<property>{{"n", value::of_int32(id)}});
    return engine->commit({rows.take(), {{operation_kind::insert, std::nullopt}}}).get();
}

engine::table_segments segments_of(running_engine& engine, base::table_id table) {
    for (auto& t : engine->segments_here()) {
        if (t.table == table) {
            return t;
        }
    }
    return {};
}

template <class Condition>
bool comes_true(Condition holds) {
    for (int turns = 0; turns < 100'000 && !holds(); ++turns) {
        seastar::thread::yield();
    }
    return holds();
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
                    SCOPED_TRACE(fmt::format("kind {} error {} effect {} nth {}", static_cast<int>(kind), error,
                                             static_cast<int>(effect), nth));
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

TEST(engine_fault, nobody_is_told_of_a_write_before_it_is_durable) {
    sim::sim_disk disk;
    running_engine engine(disk, calm);
    const auto table = engine.create("Faults");
    ASSERT_TRUE(put(engine, table, 0));
    const auto insert = [&] {
        row_batch_builder rows(table);
        rows.add_put("p", "0001", std::vector<property>{{"n", value::of_int32(1)}});
        return engine->commit({rows.take(), {{operation_kind::insert, std::nullopt}}});
    };
    disk.hold({.kind = sim::op_kind::flush, .path = "log/*"});
    auto written = insert();
    auto refused = insert();
    auto row = engine->get(table, "p", "0001");
    auto page = engine->scan({.table = table, .ranges = {key_range::all()}});
    for (int turns = 0; turns < 1'000; ++turns) {
        seastar::thread::yield();
    }
    EXPECT_FALSE(written.available());
    EXPECT_FALSE(refused.available()) << "it tells that the entity is there";
    EXPECT_FALSE(row.available());
    EXPECT_FALSE(page.available());
    disk.release();
    EXPECT_TRUE(written.get());
    const auto second = refused.get();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().error.code, errc::entity_exists);
    EXPECT_TRUE(row.get());
    EXPECT_EQ(page.get()->rows.size(), 2u);
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

// What a start gives out is above all that is in files, also when no log is left to say how far the last one had come.
TEST(engine_fault, an_update_after_the_logs_were_lost_is_newer_than_what_is_in_segments) {
    sim::sim_disk disk;
    const auto replace = [](running_engine& engine, base::table_id table, int number) {
        row_batch_builder rows(table);
        rows.add_put("p", "r", std::vector<property>{{"n", value::of_int32(number)}});
        return engine->commit({rows.take(), {{operation_kind::insert_or_replace, std::nullopt}}}).get().value();
    };
    base::table_id table;
    base::tick before;
    {
        running_engine engine(disk, calm);
        table = engine.create("Faults");
        for (int number = 0; number < 20; ++number) {
            before = replace(engine, table, number);
        }
        engine.flush();
    }
    for (const auto& name : disk.list("log").get()) {
        disk.remove("log/" + name).get();
    }
    {
        running_engine engine(disk, calm);
        engine.clock().set(base::tick{1000});
        EXPECT_GT(replace(engine, table, 100), before);
        engine.flush();
    }
    running_engine engine(disk, calm);
    EXPECT_EQ(engine->get(table, "p", "r").get()->rows().begin()->row.find("n")->as_int32(), 100);
}

TEST(engine_fault, a_flush_after_a_failed_one_takes_what_was_written_since) {
    sim::sim_disk disk;
    running_engine engine(disk, calm);
    const auto table = engine.create("Faults");
    ASSERT_TRUE(put(engine, table, 1));
    disk.fail_at({.at = {sim::op_kind::create, "segments/*"}});
    ASSERT_FALSE(engine->flush().get());
    ASSERT_TRUE(put(engine, table, 2));
    ASSERT_TRUE(engine->flush().get());
    EXPECT_EQ(engine->usage_here().front().segment_rows_count, 2u);
}

TEST(engine_fault, logs_of_an_earlier_start_go_when_a_later_flush_succeeds) {
    sim::sim_disk disk;
    {
        running_engine engine(disk, calm);
        ASSERT_TRUE(put(engine, engine.create("Faults"), 1));
    }
    const auto old = disk.list("log").get();
    ASSERT_FALSE(old.empty());
    disk.fail_at({.at = {sim::op_kind::create, "segments/*"}});
    running_engine engine(disk, calm);
    // It is tried again by the clock.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    const auto are_gone = [&] {
        const auto now = disk.list("log").get();
        return std::ranges::none_of(old, [&](const auto& name) { return std::ranges::contains(now, name); });
    };
    while (!are_gone() && std::chrono::steady_clock::now() < patience) {
        seastar::thread::yield();
    }
    EXPECT_TRUE(are_gone());
}

TEST(engine_fault, files_of_a_table_that_the_catalog_has_lost_stay) {
    sim::sim_disk disk;
    base::table_id last;
    {
        running_engine engine(disk, calm);
        ASSERT_TRUE(put(engine, engine.create("Lost"), 1));
        ASSERT_TRUE(engine->flush().get());
        last = engine.create("Faults");
    }
    const auto files = disk.list("segments").get();
    ASSERT_EQ(files.size(), 1u);
    for (const auto* copy : {"catalog.0a", "catalog.0b"}) {
        disk.flip_bit(copy, 4096 + 40, 1); // in the first edit
    }
    for (int start = 0; start < 2; ++start) {
        running_engine engine(disk, calm);
        ASSERT_TRUE(engine.opened()) << base::to_string(engine.opened().error());
        EXPECT_FALSE(engine.opened()->damage.empty());
        EXPECT_NE(engine->catalog().find("account", "Faults"), nullptr);
        EXPECT_EQ(engine->catalog().find("account", "Lost"), nullptr);
        EXPECT_EQ(disk.list("segments").get(), files);
    }
}

// What says that it was removed may not leave as long as something older might be there that cannot be seen.
TEST(engine_fault, a_row_removed_while_its_segment_could_not_be_opened_does_not_come_back) {
    sim::sim_disk disk;
    base::table_id table;
    {
        running_engine engine(disk, calm);
        table = engine.create("Faults");
        ASSERT_TRUE(put(engine, table, 1));
        ASSERT_TRUE(put(engine, table, 2));
        ASSERT_TRUE(engine->flush().get());
    }
    disk.fail_at({.at = {.kind = sim::op_kind::read, .path = "segments/*"}, .times = 1'000'000});
    {
        running_engine engine(disk, calm);
        disk.clear_faults();
        ASSERT_TRUE(engine.opened());
        ASSERT_FALSE(engine.opened()->damage.empty());
        for (const auto* row_key : {"0001", "0003"}) { // the second is there only to make another segment
            row_batch_builder rows(table);
            rows.add_remove("p", row_key);
            ASSERT_TRUE(engine->upsert(0, rows.take()).get());
            ASSERT_TRUE(engine->flush().get());
        }
        const auto facts = segments_of(engine, table);
        ASSERT_EQ(facts.newest_first.size(), 2u);
        const auto merged = engine->merge_here(table, facts.generation, 0, 2, [] { return false; }).get();
        ASSERT_TRUE(merged) << base::to_string(merged.error());
    }
    running_engine engine(disk, calm);
    ASSERT_TRUE(engine.opened());
    EXPECT_EQ(engine.opened()->damage, std::vector<std::string>());
    EXPECT_EQ(ids_in(engine), std::set<int>{2});
}

TEST(engine_fault, a_merge_that_fails_does_not_keep_other_tables_from_being_merged) {
    sim::sim_disk disk;
    auto options = calm;
    options.merging.handful = 2;
    running_engine engine(disk, options);
    const auto bad = engine.create("Bad");
    const auto good = engine.create("Faults");
    for (int id = 0; id < 4; ++id) {
        ASSERT_TRUE(put(engine, bad, id));
        ASSERT_TRUE(engine->flush().get());
    }
    disk.fail_at({.at = {sim::op_kind::read, "segments/" + disk.list("segments").get().front()}, .times = 1'000});
    for (int id = 0; id < 3; ++id) {
        ASSERT_TRUE(put(engine, good, id));
        ASSERT_TRUE(engine->flush().get());
    }
    ASSERT_EQ(segments_of(engine, good).newest_first.size(), 3u);
    engine.compact();
    EXPECT_EQ(segments_of(engine, bad).newest_first.size(), 4u);
    EXPECT_EQ(segments_of(engine, good).newest_first.size(), 0u) << "those with one are not listed";
}

TEST(engine_fault, a_merge_waits_until_there_is_room_for_it_beside_the_reserve) {
    sim::sim_disk disk;
    auto options = calm;
    options.disk_reserve_bytes = 1u << 20;
    running_engine engine(disk, options);
    const auto table = engine.create("Faults");
    for (int id = 0; id < 3; ++id) {
        ASSERT_TRUE(put(engine, table, id));
        ASSERT_TRUE(engine->flush().get());
    }
    const auto facts = segments_of(engine, table);
    ASSERT_EQ(facts.newest_first.size(), 3u);
    const auto merge = [&] { return engine->merge_here(table, facts.generation, 0, 3, [] { return false; }).get(); };
    const auto space = disk.space().get();
    const auto used = space.total_bytes - space.free_bytes;
    disk.set_capacity(used + options.disk_reserve_bytes + facts.newest_first.front().bytes);
    const auto refused = merge();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::out_of_space);
    disk.set_capacity(uint64_t{1} << 30);
    EXPECT_TRUE(merge());
}

TEST(engine_fault, a_pass_that_verifies_keeps_no_file_but_the_one_at_hand) {
    sim::sim_disk disk;
    running_engine engine(disk, calm);
    const auto table = engine.create("Faults");
    for (int id = 0; id < 4; ++id) {
        ASSERT_TRUE(put(engine, table, id));
        ASSERT_TRUE(engine->flush().get());
    }
    const auto files_count = [&] { return disk.list("segments").get().size(); };
    ASSERT_EQ(files_count(), 4u);
    disk.hold({sim::op_kind::read, "segments/*"});
    const std::atomic<bool> must_stop = false;
    shard::scrub pass(0, must_stop);
    auto verified = engine->scrub_here(pass);
    ASSERT_TRUE(comes_true([&] { return disk.held_count() > 0; }));
    ASSERT_TRUE(engine->drop_table("account", "Faults").get());
    EXPECT_TRUE(comes_true([&] { return files_count() <= 1; }));
    disk.release();
    verified.get();
    EXPECT_EQ(pass.summary().damaged_count, 0u);
}

} // namespace

// The log path on a simulated disk: what is appended is found, before and after sealing, after a restart, on other core counts,
// and when the disk fails.

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/sleep.hh>
#include <seastar/core/thread.hh>

#include "blobs/blob_listing.hh"
#include "tests/lib/running_logs.hh"

namespace {

using namespace testing_lib;
using base::errc;

constexpr int64_t noon_ns = 1'794'830'400'000'000'000; // 2026-11-16T12:00:00Z
constexpr int64_t second_ns = 1'000'000'000;
constexpr int64_t hour_ns = 3600 * second_ns;

running_logs::options small(unsigned shards = seastar::smp::count) {
    return {.engine = {.shards_count = shards}, .logs = {.own_file_bytes = 2'000}};
}

std::vector<sent_record> some_records(const std::string& source, int count, int64_t from_ns = noon_ns) {
    std::vector<sent_record> records;
    for (int i = 0; i < count; ++i) {
        records.push_back(
            {source, from_ns + i * second_ns, static_cast<uint8_t>(i % 9), fmt::format("line {} of {}", i, source)});
    }
    return records;
}

std::vector<sent_record> found_in(running_logs& logs, const std::string& source) {
    auto found = logs.search(source);
    EXPECT_TRUE(found) << base::to_string(found.error());
    return found.value_or(std::vector<sent_record>());
}

TEST(log_store, what_is_appended_is_found_at_once_and_after_sealing) {
    sim::sim_disk disk;
    running_logs logs(disk, small());
    const auto web = some_records("web", 100);
    ASSERT_TRUE(logs.append(web));
    EXPECT_EQ(found_in(logs, "web"), web);
    EXPECT_TRUE(found_in(logs, "other").empty());
    ASSERT_TRUE(logs.seal());
    EXPECT_EQ(found_in(logs, "web"), web);
    auto later = some_records("web", 50, noon_ns + 200 * second_ns);
    ASSERT_TRUE(logs.append(later));
    auto all = web;
    all.insert(all.end(), later.begin(), later.end());
    EXPECT_EQ(found_in(logs, "web"), all);
}

TEST(log_store, below_the_reserve_records_are_refused_with_a_sentence) {
    sim::sim_disk disk;
    disk.set_capacity(uint64_t{8} << 20);
    auto options = small();
    options.engine.disk_reserve_bytes = uint64_t{16} << 20;
    running_logs logs(disk, options);
    const auto refused = logs.append(some_records("web", 1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, errc::out_of_space);
    EXPECT_TRUE(refused.error().detail.contains("retention")) << refused.error().detail;
    EXPECT_TRUE(found_in(logs, "web").empty()) << "reads go on";
}

TEST(log_store, a_restart_finds_the_same_on_any_core_count) {
    sim::sim_disk disk;
    const auto sealed = some_records("web", 300);
    const auto open = some_records("web", 200, noon_ns + hour_ns);
    auto db = some_records("db", 10);
    {
        running_logs logs(disk, small());
        ASSERT_TRUE(logs.append(sealed));
        ASSERT_TRUE(logs.seal());
        ASSERT_TRUE(logs.append(open));
        ASSERT_TRUE(logs.append(db));
    }
    auto all = sealed;
    all.insert(all.end(), open.begin(), open.end());
    for (const unsigned shards : {seastar::smp::count, 1u, seastar::smp::count}) {
        running_logs logs(disk, small(shards));
        ASSERT_TRUE(logs.is_open());
        EXPECT_EQ(found_in(logs, "web"), all);
        EXPECT_EQ(found_in(logs, "db"), db);
        EXPECT_EQ(logs->source_names().size(), 2);
        ASSERT_TRUE(logs.append({{"db", noon_ns - shards, 3, "one more"}}));
        EXPECT_EQ(found_in(logs, "db").size(), db.size() + 1);
        ASSERT_TRUE(logs.seal());
        EXPECT_EQ(found_in(logs, "db").size(), db.size() + 1);
        all.push_back({"web", noon_ns + 5 * hour_ns + static_cast<int64_t>(all.size()), 6, "after the restart"});
        ASSERT_TRUE(logs.append({all.back()}));
        db = found_in(logs, "db");
    }
}

// What one core count has sealed must still be known when two others have come and gone, if the logs are still there.
TEST(log_store, records_come_once_however_many_starts_a_log_outlives) {
    sim::sim_disk disk;
    disk.fail_at({.at = {.kind = sim::op_kind::remove, .path = "*.log"}, .times = UINT64_MAX});
    // Only the first shard gets to seal what it has.
    disk.fail_at({.at = {.kind = sim::op_kind::create, .path = "blobs/001-*"}, .times = UINT64_MAX});
    std::vector<sent_record> all;
    const auto append_on = [&](running_logs& logs, unsigned shard) {
        const sent_record one{"web", noon_ns + static_cast<int64_t>(all.size()) * second_ns, 6,
                              fmt::format("line {}", all.size())};
        all.push_back(one);
        logs.all()
            .invoke_on(
                shard,
                [&](blobs::log_store& there) { return seastar::async([&] { ASSERT_TRUE(running_logs::append(there, {one})); }); })
            .get();
    };
    for (const unsigned shards : {seastar::smp::count, 1u, seastar::smp::count, 1u, seastar::smp::count}) {
        running_logs logs(disk, small(shards));
        ASSERT_TRUE(logs.is_open());
        EXPECT_EQ(found_in(logs, "web"), all) << shards << " shards";
        for (unsigned shard = 0; shard < shards; ++shard) {
            append_on(logs, shard);
        }
        ASSERT_TRUE(logs->flush().get());
        EXPECT_EQ(found_in(logs, "web"), all) << shards << " shards";
    }
}

TEST(log_store, an_hour_of_a_source_is_dropped_as_a_whole) {
    sim::sim_disk disk;
    const auto old = some_records("web", 200);
    const auto recent = some_records("web", 100, noon_ns + hour_ns);
    const auto other = some_records("db", 10);
    const auto hour = base::tick_from_unix_ns(noon_ns);
    {
        running_logs logs(disk, small());
        for (const auto* records : {&old, &recent, &other}) {
            ASSERT_TRUE(logs.append(*records));
        }
        ASSERT_TRUE(logs.seal());
        ASSERT_EQ(logs->periods_here("web").size(), 2u);
        EXPECT_EQ(logs->periods_here("web").front().start, hour);
        EXPECT_GT(logs->periods_here("web").front().bytes, 0u);
        for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
            ASSERT_TRUE(logs.all()
                            .invoke_on(shard, [hour](blobs::log_store& there) { return there.drop_period_here("web", hour); })
                            .get());
        }
        EXPECT_EQ(found_in(logs, "web"), recent);
        EXPECT_EQ(found_in(logs, "db"), other);
    }
    for (const unsigned shards : {1u, seastar::smp::count}) {
        running_logs logs(disk, small(shards));
        EXPECT_EQ(found_in(logs, "web"), recent);
        EXPECT_EQ(found_in(logs, "db"), other);
    }
}

TEST(log_store, every_shard_has_a_lane_and_knows_all_sources) {
    sim::sim_disk disk;
    running_logs logs(disk, small());
    std::vector<sent_record> all;
    for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
        auto records = some_records("web", 5, noon_ns + shard);
        auto own = some_records(fmt::format("of-{}", shard), 1);
        const auto done = logs.all()
                              .invoke_on(shard,
                                         [&](blobs::log_store& store) {
                                             return seastar::async([&] {
                                                 return running_logs::append(store, records) && running_logs::append(store, own);
                                             });
                                         })
                              .get();
        ASSERT_TRUE(done);
        EXPECT_TRUE(logs->source_names().contains(own.front().source)) << "known here as soon as it is acknowledged there";
        all.insert(all.end(), records.begin(), records.end());
    }
    std::ranges::stable_sort(all, {}, &sent_record::time_ns);
    EXPECT_EQ(found_in(logs, "web"), all);
    const auto sources = blobs::list_sources(logs.all(), "", 100).get();
    ASSERT_EQ(sources.size(), 1 + seastar::smp::count);
    EXPECT_EQ(sources.back().name, "web");
    EXPECT_EQ(sources.back().records_count, all.size());
}

TEST(log_store, late_records_go_to_their_own_period) {
    sim::sim_disk disk;
    running_logs logs(disk, small());
    ASSERT_TRUE(
        logs.append({{"web", noon_ns, 6, "now"}, {"web", noon_ns - 30 * hour_ns, 6, "late"}, {"web", -1, 6, "before 1970"}}));
    ASSERT_TRUE(logs.seal());
    const auto blobs = blobs::list_blobs(logs.all(), "web/", "", 10, blobs::open_buffers::shown).get();
    ASSERT_EQ(blobs.size(), 3);
    EXPECT_TRUE(blobs[0].name.starts_with("web/1969/12/31/2300/")) << blobs[0].name;
    EXPECT_TRUE(blobs[1].name.starts_with("web/2026/11/15/0600/")) << blobs[1].name;
    EXPECT_TRUE(blobs[2].name.starts_with("web/2026/11/16/1200/")) << blobs[2].name;
    EXPECT_EQ(blobs::read_text(logs.all(), blobs[1], 0).get(), "late\n");
    EXPECT_EQ(blobs::read_text(logs.all(), blobs[1], 2).get(), "te\n");
    EXPECT_EQ(blobs::read_text(logs.all(), blobs[1], 5).get(), "");
    EXPECT_EQ(blobs::find_blob(logs.all(), "web/none").get().error().code, errc::entity_not_found);
}

TEST(log_store, many_tiny_sources_share_files) {
    sim::sim_disk disk({.operations = sim::history::drop});
    running_logs logs(disk, small());
    std::vector<sent_record> records;
    for (int i = 0; i < 5'000; ++i) {
        records.push_back({fmt::format("tiny-{}", i), noon_ns + i, 6, "one line"});
    }
    ASSERT_TRUE(logs.append(records));
    ASSERT_TRUE(logs.seal());
    EXPECT_LE(disk.list("blobs").get().size(), 5);
    EXPECT_EQ(found_in(logs, "tiny-4999").size(), 1);
}

TEST(log_store, there_are_only_so_many_sources) {
    sim::sim_disk disk;
    auto o = small();
    o.logs.sources_max = 3;
    running_logs logs(disk, o);
    for (const auto* name : {"a", "b", "c", "a"}) {
        EXPECT_TRUE(logs.append({{name, noon_ns, 6, "x"}}));
    }
    EXPECT_FALSE(logs->next_sequence("d"));
}

TEST(log_store, a_full_disk_refuses_and_recovers) {
    sim::sim_disk disk({.operations = sim::history::drop});
    auto o = small(1);
    o.logs.memory_bytes_max = 200'000;
    o.logs.seal_bytes = 50'000;
    running_logs logs(disk, o);
    disk.fail_at({.at = {.path = "blobs/*"}, .nth = 1, .times = UINT64_MAX, .error = ENOSPC});
    base::expected<void> done;
    std::vector<sent_record> stored;
    for (int i = 0; i < 200 && done; ++i) {
        const sent_record r{"web", noon_ns + i, 6, std::string(4'000, static_cast<char>('a' + i % 26))};
        done = logs.append({r});
        if (done) {
            stored.push_back(r);
        }
    }
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, errc::out_of_space);
    EXPECT_EQ(found_in(logs, "web"), stored) << "what was acknowledged is still read";
    disk.clear_faults();
    while (!logs.seal()) {
    }
    EXPECT_TRUE(logs.append({{"web", noon_ns + 1'000, 6, "after"}}));
    EXPECT_EQ(found_in(logs, "web").size(), stored.size() + 1);
}

TEST(log_store, a_round_that_fails_is_tried_again_and_leaves_nothing) {
    sim::sim_disk disk;
    const auto web = some_records("web", 500);
    for (const auto kind : {sim::op_kind::create, sim::op_kind::write, sim::op_kind::flush}) {
        SCOPED_TRACE(fmt::format("operation {}", static_cast<int>(kind)));
        sim::sim_disk fresh;
        running_logs logs(fresh, small(1));
        ASSERT_TRUE(logs.append(web));
        fresh.fail_at({.at = {.kind = kind, .path = "blobs/*"}});
        EXPECT_FALSE(logs.seal());
        EXPECT_EQ(found_in(logs, "web"), web);
        EXPECT_TRUE(logs.seal());
        EXPECT_EQ(found_in(logs, "web"), web);
        EXPECT_EQ(fresh.list("blobs").get().size(), 1);
    }
}

// Each attempt writes new files, once a second for as long as the manifest takes nothing.
TEST(log_store, attempts_behind_a_manifest_that_failed_leave_no_files) {
    sim::sim_disk disk;
    running_logs logs(disk, small(1));
    const auto web = some_records("web", 500);
    ASSERT_TRUE(logs.append(web));
    disk.fail_at({.at = {.kind = sim::op_kind::sync_directory, .path = "blobs"}});
    EXPECT_FALSE(logs->flush().get());
    EXPECT_EQ(disk.list("blobs").get().size(), 0u) << "nothing can list them";
    disk.fail_at({.at = {.kind = sim::op_kind::flush, .path = "manifest/*"}});
    EXPECT_FALSE(logs->flush().get());
    const auto first = disk.list("blobs").get();
    EXPECT_EQ(first.size(), 1u) << "the next start may find it listed";
    for (int i = 0; i < 3; ++i) {
        const auto outcome = logs->flush().get();
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code, errc::log_failed);
    }
    EXPECT_EQ(disk.list("blobs").get(), first);
    EXPECT_EQ(found_in(logs, "web"), web);
}

// Every bit of a file, or some of them: a search gives all records, or an error that names the blob; never others.
TEST(log_store, a_flipped_bit_is_an_error_or_does_not_matter) {
    const auto seed = std::random_device()();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    sim::sim_disk disk;
    const auto web = some_records("web", 400);
    {
        running_logs logs(disk, small(1));
        ASSERT_TRUE(logs.append(web));
        ASSERT_TRUE(logs.append(some_records("db", 3)));
        ASSERT_TRUE(logs.seal());
    }
    size_t errors = 0;
    for (int i = 0; i < 120; ++i) {
        auto damaged = disk.crash_image(sim::crash_policy::keep_all());
        const auto name = damaged->list("blobs").get().back(); // of "web" alone
        const auto file = damaged->open("blobs/" + name, shard::open_mode::read).get();
        const auto size = file->size().get();
        file->close().get();
        damaged->flip_bit("blobs/" + name, random() % size, random() % 8);
        running_logs logs(*damaged, small(1));
        ASSERT_TRUE(logs.is_open());
        const auto found = logs.search("web");
        errors += !found;
        if (found) {
            EXPECT_EQ(*found, web);
        } else {
            EXPECT_EQ(found.error().code, errc::corrupt);
            EXPECT_TRUE(found.error().detail.contains("web/2026/11/16/1200/")) << found.error().detail;
        }
        EXPECT_EQ(found_in(logs, "db").size(), 3) << "the rest keeps working";
    }
    EXPECT_GT(errors, 0u);
}

} // namespace

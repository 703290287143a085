// Merging blobs changes where records are, and nothing else.

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/thread.hh>

#include "blobs/blob_listing.hh"
#include "tests/lib/running_logs.hh"

namespace {

using namespace testing_lib;

constexpr int64_t noon_ns = 1'794'830'400'000'000'000;

running_logs::options settings(size_t merge_count) {
    return {.engine = {.shards_count = 1},
            .logs = {.own_file_bytes = 10'000, .merge_count = merge_count, .merge_every = std::chrono::hours(24)}};
}

std::vector<sent_record> fill(running_logs& logs, int rounds) {
    std::vector<sent_record> all;
    for (int round = 0; round < rounds; ++round) {
        for (const auto* source : {"big", "small", "other"}) {
            std::vector<sent_record> records;
            for (int i = 0; i < (source == std::string("big") ? 300 : 2); ++i) {
                records.push_back({source, noon_ns + i * 1'000 + round, static_cast<uint8_t>(i % 9),
                                   fmt::format("{} {} {}", source, round, i)});
            }
            EXPECT_TRUE(logs.append(records));
            all.insert(all.end(), records.begin(), records.end());
        }
        EXPECT_TRUE(logs.seal());
    }
    std::ranges::sort(all);
    return all;
}

std::vector<sent_record> everything(running_logs& logs) {
    std::vector<sent_record> all;
    for (const auto* source : {"big", "other", "small"}) {
        const auto found = logs.search(source);
        EXPECT_TRUE(found) << base::to_string(found.error());
        if (found) {
            all.insert(all.end(), found->begin(), found->end());
        }
    }
    std::ranges::sort(all);
    return all;
}

std::vector<blobs::blob_info> blobs_of(running_logs& logs, const std::string& prefix) {
    return blobs::list_blobs(logs.all(), prefix, "", 100, blobs::open_buffers::hidden).get();
}

void merge_all(running_logs& logs) {
    for (size_t replaced = 1; replaced > 0;) {
        const auto done = logs->merge().get();
        ASSERT_TRUE(done) << base::to_string(done.error());
        replaced = *done;
    }
}

TEST(log_merge, leaves_one_blob_with_the_lowest_name_and_all_records) {
    sim::sim_disk disk;
    std::vector<sent_record> all;
    {
        running_logs logs(disk, settings(2));
        all = fill(logs, 6);
        const auto before = blobs_of(logs, "big/");
        ASSERT_EQ(before.size(), 6);
        merge_all(logs);
        const auto after = blobs_of(logs, "big/");
        ASSERT_EQ(after.size(), 1);
        EXPECT_EQ(after.front().name, before.front().name);
        EXPECT_EQ(after.front().records_count, 1'800);
        EXPECT_EQ(blobs_of(logs, "").size(), 3);
        EXPECT_EQ(everything(logs), all);
    }
    EXPECT_LE(disk.list("blobs").get().size(), 2) << "the replaced files are gone";
    running_logs logs(disk, settings(2));
    EXPECT_EQ(everything(logs), all);
    EXPECT_EQ(blobs_of(logs, "").size(), 3);
}

TEST(log_merge, a_failure_changes_nothing_and_is_tried_again) {
    sim::sim_disk disk;
    running_logs logs(disk, settings(2));
    const auto all = fill(logs, 4);
    const auto files = disk.list("blobs").get().size();
    for (const auto kind : {sim::op_kind::create, sim::op_kind::write, sim::op_kind::flush}) {
        disk.fail_at({.at = {.kind = kind, .path = "blobs/*"}});
        EXPECT_FALSE(logs->merge().get());
        EXPECT_EQ(everything(logs), all);
        EXPECT_EQ(disk.list("blobs").get().size(), files);
    }
    merge_all(logs);
    EXPECT_EQ(everything(logs), all);
}

TEST(log_merge, waits_until_an_hour_is_over_or_has_many_blobs) {
    sim::sim_disk disk;
    int64_t now = noon_ns + 60'000'000'000;
    auto o = settings(8);
    o.logs.now_ns = [&now] { return now; };
    running_logs logs(disk, o);
    fill(logs, 3);
    EXPECT_EQ(logs->merge().get(), 0u);
    now += 2 * 3'600'000'000'000;
    EXPECT_GT(logs->merge().get().value(), 0u);
}

TEST(log_merge, a_replaced_name_leads_to_the_merged_blob_for_an_hour) {
    sim::sim_disk disk;
    int64_t now = noon_ns + 2 * 3'600'000'000'000;
    auto o = settings(2);
    o.logs.now_ns = [&now] { return now; };
    running_logs logs(disk, o);
    fill(logs, 10);
    const auto before = blobs_of(logs, "big/");
    ASSERT_EQ(before.size(), 10u);
    merge_all(logs); // more than one merge takes at a time: the first merged blob is merged again
    const auto merged = blobs_of(logs, "big/");
    ASSERT_EQ(merged.size(), 1u);
    for (const auto& b : before) {
        const auto found = blobs::find_blob(logs.all(), b.name).get();
        ASSERT_TRUE(found) << b.name;
        EXPECT_EQ(found->name, merged.front().name);
        EXPECT_EQ(found->records_count, 3'000u);
        EXPECT_TRUE(blobs::read_text(logs.all(), *found, 0).get());
    }
    EXPECT_FALSE(blobs::find_blob(logs.all(), before.back().name + "x").get());
    now += std::chrono::nanoseconds(blobs::replaced_names_kept).count();
    EXPECT_TRUE(blobs::find_blob(logs.all(), before.front().name).get());
    EXPECT_FALSE(blobs::find_blob(logs.all(), before.back().name).get());
}

TEST(log_merge, a_reader_on_its_way_is_not_given_the_text_of_the_merged_blob) {
    sim::sim_disk disk;
    running_logs logs(disk, settings(2));
    fill(logs, 2);
    const auto before = blobs_of(logs, "big/");
    ASSERT_EQ(before.size(), 2u);
    const auto first = blobs::read_text(logs.all(), before[0], 0).get();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->size(), before[0].raw_bytes);
    merge_all(logs);
    for (const auto& b : before) { // one name is that of the merged blob now, the other leads to it
        EXPECT_EQ(blobs::read_text(logs.all(), b, 10).get().error().code, base::errc::entity_not_found) << b.name;
        EXPECT_EQ(blobs::read_frame(logs.all(), b, 0).get().error().code, base::errc::entity_not_found) << b.name;
    }
    const auto merged = blobs_of(logs, "big/");
    ASSERT_EQ(merged.size(), 1u);
    EXPECT_TRUE(blobs::read_text(logs.all(), merged[0], 10).get());
}

// The manifest of a shard that is no more stays, and what it lists is merged by who has it now.
TEST(log_merge, blobs_of_a_former_core_count_are_merged_too) {
    if (seastar::smp::count < 2) {
        GTEST_SKIP() << "needs two shards";
    }
    sim::sim_disk disk;
    auto o = settings(2);
    o.engine.shards_count = seastar::smp::count;
    std::vector<sent_record> all;
    {
        running_logs logs(disk, o);
        for (int round = 0; round < 3; ++round) {
            for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
                const std::vector<sent_record> records{
                    {"big", noon_ns + round, 3, fmt::format("shard {} round {}", shard, round)}};
                all.insert(all.end(), records.begin(), records.end());
                logs.all()
                    .invoke_on(shard,
                               [records](blobs::log_store& there) {
                                   return seastar::async(
                                       [&there, records] { EXPECT_TRUE(running_logs::append(there, records)); });
                               })
                    .get();
            }
            ASSERT_TRUE(logs.seal());
        }
        ASSERT_EQ(blobs_of(logs, "big/").size(), 3 * seastar::smp::count);
    }
    std::ranges::sort(all);
    for (const unsigned shards : {1u, seastar::smp::count, 1u}) {
        o.engine.shards_count = shards;
        running_logs logs(disk, o);
        ASSERT_TRUE(logs.is_open());
        merge_all(logs);
        EXPECT_EQ(blobs_of(logs, "big/").size(), seastar::smp::count) << "one for each manifest, with " << shards << " shards";
        EXPECT_EQ(everything(logs), all);
    }
}

// What is left of a shared file when some of its blobs go has to be listed anew, and an edit has its bounds.
class log_merge_of_many_sources : public testing::TestWithParam<bool> {
protected:
    static constexpr int sources_count = 1'500;
    static constexpr int rounds = 9;

    static std::string source_of(int i) { return fmt::format("{:04}-{}", i, std::string(200, 's')); }

    running_logs::options options() {
        auto o = settings(rounds - 1);
        if (GetParam()) {
            o.logs.now_ns = [] { return noon_ns + 2 * 3'600'000'000'000; };
        }
        return o;
    }

    // Every third one is in the first round only.
    static void fill(running_logs& logs) {
        for (int round = 0; round < rounds; ++round) {
            std::vector<sent_record> records;
            for (int i = 0; i < sources_count; ++i) {
                if (round == 0 || i % 3 != 0) {
                    records.push_back({source_of(i), noon_ns + round, 3, fmt::format("round {} of {}", round, i)});
                }
            }
            ASSERT_TRUE(logs.append(records));
            ASSERT_TRUE(logs.seal());
        }
    }

    static void expect_all(running_logs& logs) {
        for (int i = 0; i < sources_count; i += 7) {
            ASSERT_EQ(logs.search(source_of(i)).value().size(), i % 3 == 0 ? 1u : rounds) << i;
        }
    }

    sim::sim_disk disk{{.operations = sim::history::drop}};
};

TEST_P(log_merge_of_many_sources, comes_to_an_end) {
    {
        running_logs logs(disk, options());
        fill(logs);
        const auto before = logs->blobs_by_name().size();
        merge_all(logs);
        EXPECT_LT(logs->blobs_by_name().size(), before / 3);
        expect_all(logs);
    }
    running_logs logs(disk, options());
    expect_all(logs);
}

TEST_P(log_merge_of_many_sources, drops_hours_before_and_after) {
    const auto hour = base::tick_from_unix_ns(noon_ns);
    running_logs logs(disk, options());
    fill(logs);
    ASSERT_TRUE(logs->drop_period_here(source_of(1), hour).get());
    merge_all(logs);
    ASSERT_TRUE(logs->drop_period_here(source_of(2), hour).get());
    EXPECT_TRUE(logs.search(source_of(1)).value().empty());
    EXPECT_TRUE(logs.search(source_of(2)).value().empty());
    EXPECT_EQ(logs.search(source_of(4)).value().size(), rounds);
}

INSTANTIATE_TEST_SUITE_P(hours, log_merge_of_many_sources, testing::Bool(),
                         [](const auto& is_over) { return is_over.param ? "over" : "open"; });

uint64_t bytes_on(sim::sim_disk& disk) {
    uint64_t sum = 0;
    for (const auto& name : disk.list("blobs").get()) {
        const auto file = disk.open("blobs/" + name, shard::open_mode::read).get();
        sum += file->size().get();
        file->close().get();
    }
    return sum;
}

TEST(log_merge, what_is_dropped_from_a_shared_file_gives_its_space_back) {
    sim::sim_disk disk;
    const auto hour = base::tick_from_unix_ns(noon_ns);
    auto o = settings(2);
    o.logs.own_file_bytes = 1 << 20;
    std::mt19937_64 random(5);
    {
        running_logs logs(disk, o);
        std::vector<sent_record> records;
        for (int i = 0; i < 40; ++i) {
            std::string text;
            while (text.size() < 8'000) {
                text += fmt::format("{:016x}", random());
            }
            records.push_back({fmt::format("source-{}", i), noon_ns, 3, text});
        }
        ASSERT_TRUE(logs.append(records));
        ASSERT_TRUE(logs.seal());
        EXPECT_EQ(logs->disk_usage_here().bytes, bytes_on(disk));
        for (int i = 0; i < 30; ++i) {
            ASSERT_TRUE(logs->drop_period_here(fmt::format("source-{}", i), hour).get());
        }
        EXPECT_EQ(logs->disk_usage_here().bytes, bytes_on(disk)) << "nothing is free yet";
    }
    const auto before = bytes_on(disk);
    running_logs logs(disk, o);
    EXPECT_EQ(logs->disk_usage_here().bytes, before) << "after a restart, too";
    merge_all(logs);
    EXPECT_LT(logs->disk_usage_here().bytes, before / 3);
    EXPECT_EQ(logs->disk_usage_here().files_count, 1u);
    for (int i = 0; i < 40; ++i) {
        EXPECT_EQ(logs.search(fmt::format("source-{}", i)).value().size(), i < 30 ? 0u : 1u);
    }
}

TEST(log_merge, a_replaced_blob_that_is_opened_late_is_not_kept) {
    sim::sim_disk disk;
    running_logs logs(disk, settings(2));
    fill(logs, 4);
    auto replaced = logs->blobs_by_name().at(blobs_of(logs, "big/").back().name);
    merge_all(logs);
    EXPECT_TRUE(logs->open_blobs().open(replaced).get());
    const auto path = blobs::path_of_file(replaced->file->name());
    EXPECT_TRUE(disk.exists(path).get());
    replaced = nullptr;
    for (int i = 0; i < 1'000 && disk.exists(path).get(); ++i) { // it is unlinked in the background
        seastar::thread::yield();
    }
    EXPECT_FALSE(disk.exists(path).get());
}

} // namespace

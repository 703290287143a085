// The log on a disk that is full, fails, or has lost bytes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <seastar/util/later.hh>

#include "shard/wal.hh"
#include "shard/wal_replay.hh"
#include "tests/reactor/shard/wal_workload.hh"

namespace {

using namespace testing_lib;
using base::errc;
using sim::op_kind;
using testing::ElementsAre;
using state = shard::log_file_info::state;

class wal_fault : public testing::Test {
protected:
    void start(shard::wal_config config = small_wal()) {
        log.emplace(disk, config);
        ASSERT_TRUE(log->start().get());
    }
    void TearDown() override {
        if (log) {
            log->stop().get();
        }
    }
    base::expected<void> write(std::string payload) {
        const auto last = append_to(*log, std::move(payload)).get();
        return last ? log->wait_durable(*last).get() : std::unexpected(last.error());
    }
    // Until a write is refused; how many were not.
    size_t write_until_refused(size_t payload_bytes) {
        size_t count = 0;
        for (base::expected<void> outcome; outcome; ++count) {
            outcome = write(std::string(payload_bytes, 'x'));
            refusal = outcome ? refusal : outcome.error().code;
        }
        return count - 1;
    }
    size_t found_count() { return read_all_logs(disk).records.size(); }

    sim::sim_disk disk;
    std::optional<shard::wal> log;
    errc refusal{};
};

// --- a full disk

TEST_F(wal_fault, a_full_disk_refuses_writes_until_there_is_space_again) {
    start();
    ASSERT_TRUE(write("x"));
    while (log->counters().files_count < 2) {
        seastar::yield().get();
    }
    disk.fill();
    const auto written = write_until_refused(5000);
    EXPECT_EQ(refusal, errc::out_of_space);
    EXPECT_GT(written, 10u); // what was made ahead is used to the end
    EXPECT_FALSE(write(std::string(5000, 'x')));
    disk.set_capacity(uint64_t{1} << 40);
    EXPECT_TRUE(write(std::string(5000, 'x')));
    log->stop().get();
    EXPECT_EQ(found_count(), written + 2);
}

TEST_F(wal_fault, small_records_still_fit_where_a_large_one_was_refused) {
    start();
    ASSERT_TRUE(write("x"));
    disk.set_capacity(0);
    write_until_refused(20'000);
    EXPECT_EQ(refusal, errc::out_of_space);
    EXPECT_TRUE(write("x"));
}

TEST_F(wal_fault, a_log_starts_on_a_full_disk) {
    disk.set_capacity(0);
    start();
    EXPECT_EQ(write("x").error().code, errc::out_of_space);
    disk.set_capacity(uint64_t{1} << 40);
    EXPECT_TRUE(write("x"));
}

TEST_F(wal_fault, a_disk_that_fills_up_while_a_file_is_made_gets_its_space_back) {
    start();
    ASSERT_TRUE(write("x"));
    while (log->counters().files_count < 2) {
        seastar::yield().get();
    }
    // Once ahead of time, when nobody asked, and once more when somebody does.
    disk.fail_at({.at = {op_kind::write, "log/000-00000000000[34].log"}, .times = 2, .error = ENOSPC});
    write_until_refused(5000);
    EXPECT_EQ(refusal, errc::out_of_space);
    EXPECT_THAT(disk.list(shard::wal_folder).get(), ElementsAre("000-000000000001.log", "000-000000000002.log"));
    EXPECT_TRUE(write(std::string(5000, 'x')));
}

TEST_F(wal_fault, a_release_on_a_full_disk_lets_writes_go_on) {
    start();
    ASSERT_TRUE(write("x"));
    while (log->counters().files_count < 2) {
        seastar::yield().get();
    }
    disk.fill();
    write_until_refused(5000);
    log->release(log->durable());
    while (!write(std::string(5000, 'x'))) {
        seastar::yield().get();
    }
}

TEST_F(wal_fault, a_file_that_cannot_be_made_is_told_and_tried_again) {
    disk.fail_at({.at = {op_kind::create}});
    start();
    EXPECT_EQ(write("x").error().code, errc::io_error);
    EXPECT_TRUE(write("x"));
}

TEST_F(wal_fault, a_name_that_cannot_be_made_durable_is_not_used) {
    disk.fail_at({.at = {op_kind::sync_directory, "log"}});
    start();
    EXPECT_EQ(write("x").error().code, errc::io_error);
    EXPECT_TRUE(write("x"));
    const auto image = disk.crash_image(sim::crash_policy::drop_all());
    EXPECT_EQ(read_all_logs(*image).records.size(), 1u);
}

TEST_F(wal_fault, a_file_that_cannot_be_recycled_is_replaced_by_a_new_one) {
    start();
    disk.fail_at({.at = {op_kind::rename}, .times = 1000});
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(write(std::string(17'000, 'x')));
        log->release(log->durable());
    }
    EXPECT_LE(log->counters().files_count, 4u);
}

// --- a failing disk

class failing : public wal_fault, public testing::WithParamInterface<sim::fault> {};

// However it fails: nothing is acknowledged from there on, durable() stays, and a restart finds all that was acknowledged.
TEST_P(failing, a_failed_log_acknowledges_nothing_more) {
    start();
    ASSERT_TRUE(write("durable"));
    disk.fail_at(GetParam());
    auto first = append_to(*log, "lost").get();
    auto told = log->wait_durable(*first);
    auto second = append_to(*log, "lost too").get();
    auto room = log->reserve(1).get(); // before it fails, used after
    EXPECT_EQ(told.get().error().code, errc::log_failed);
    EXPECT_EQ(log->wait_durable(*second).get().error().code, errc::log_failed);
    EXPECT_TRUE(log->has_failed());
    append_now(*log, std::move(*room), "x");
    EXPECT_EQ(log->wait_durable({4}).get().error().code, errc::log_failed);
    EXPECT_EQ(log->reserve(1).get().error().code, errc::log_failed);
    EXPECT_EQ(log->hold().get().error().code, errc::log_failed);
    EXPECT_EQ(log->durable().value, 1u);
    EXPECT_TRUE(log->wait_durable({1}).get());
    log->stop().get();
    for (uint64_t seed = 0; seed < 50; ++seed) {
        const auto image = disk.crash_image(sim::crash_policy::random(seed));
        const auto found = read_all_logs(*image);
        EXPECT_TRUE(found.damages.empty());
        ASSERT_FALSE(found.records.empty());
        EXPECT_EQ(found.records.front().payload, "durable");
    }
}

INSTANTIATE_TEST_SUITE_P(wal, failing,
                         testing::Values(sim::fault{.at = {op_kind::flush, "log/*1.log"}},
                                         sim::fault{.at = {op_kind::write, "log/*1.log"}},
                                         sim::fault{.at = {op_kind::write, "log/*1.log"}, .effect = sim::fault_effect::torn},
                                         sim::fault{.at = {op_kind::write, "log/*1.log"}, .error = ENOSPC}),
                         [](const auto& info) {
                             return std::string(info.param.at.kind == op_kind::flush ? "flush" : "write") +
                                    std::to_string(info.param.error) +
                                    (info.param.effect == sim::fault_effect::torn ? "_torn" : "");
                         });

TEST_F(wal_fault, writers_in_flight_when_the_log_fails_are_all_told) {
    for (uint64_t nth = 1; nth < 30; nth += 4) {
        sim::sim_disk d({.yields_max = 4, .seed = nth});
        shard::wal w(d, small_wal());
        ASSERT_TRUE(w.start().get());
        wal_workload workload(d, w, nth);
        d.fail_at({.at = {op_kind::flush}, .nth = nth + 3});
        workload.run(8, 50).get();
        if (w.has_failed()) {
            EXPECT_EQ(workload.refusals().size(), 8u) << nth;
        }
        w.stop().get();
        for (uint64_t seed = 0; seed < 20; ++seed) {
            workload.check(*d.crash_image(sim::crash_policy::random(seed)), d.operations_count());
        }
    }
}

// --- lost bytes

class wal_damage : public wal_fault {
protected:
    // Five records in three files, closed in good order.
    void make_log() {
        start();
        for (int i = 0; i < 5; ++i) {
            ASSERT_TRUE(write(std::string(25'000, static_cast<char>('a' + i))));
        }
        log->stop().get();
        files = disk.list(shard::wal_folder).get();
        ASSERT_EQ(files.size(), 3u);
    }
    void flip(size_t file, uint64_t offset) { disk.flip_bit(shard::wal_path(files[file]), offset, 3); }
    shard::log_file_info info(size_t file) { return shard::list_logs(disk, wal_store).get()->at(file); }

    std::vector<std::string> files;
};

TEST_F(wal_damage, a_damaged_record_is_reported_with_its_place_and_all_others_are_found) {
    make_log();
    flip(1, 9000);
    const auto found = read_all_logs(disk);
    EXPECT_EQ(found.records.size(), 4u);
    ASSERT_EQ(found.damages.size(), 1u);
    const auto& damage = found.damages[0];
    EXPECT_EQ(damage.first.value, 3u);
    EXPECT_EQ(damage.last.value, 3u);
    EXPECT_EQ(damage.begin_file, files[0]);
    EXPECT_EQ(damage.end_file, files[1]);
}

TEST_F(wal_damage, one_damaged_header_is_noticed_and_harmless) {
    make_log();
    flip(1, 20);
    EXPECT_TRUE(info(1).has_bad_copy);
    EXPECT_EQ(info(1).is, state::used);
    EXPECT_EQ(found_count(), 5u);
}

TEST_F(wal_damage, a_file_without_header_is_read_as_its_neighbours_are) {
    make_log();
    for (size_t file = 0; file < 3; ++file) {
        flip(file, 20);
        flip(file, shard::wal_block_bytes + 20);
        EXPECT_EQ(info(file).is, state::headless);
        EXPECT_EQ(found_count(), 5u);
        flip(file, 20);
        flip(file, shard::wal_block_bytes + 20);
    }
}

TEST_F(wal_damage, a_block_that_cannot_be_read_costs_what_lies_in_it) {
    make_log();
    // The second file's first piece, then the third of its blocks when they are tried one by one.
    const auto path = shard::wal_path(files[1]);
    const auto infos = *shard::list_logs(disk, wal_store).get();
    disk.fail_at({.at = {op_kind::read, path}, .nth = 1});
    disk.fail_at({.at = {op_kind::read, path}, .nth = 4});
    const auto report = shard::read_log(disk, infos, [](const auto&) { return seastar::make_ready_future<>(); }).get();
    EXPECT_EQ(report.unreadable_bytes, shard::wal_block_bytes);
    EXPECT_EQ(report.records_count, 4u);
    ASSERT_EQ(report.damages.size(), 1u);
    EXPECT_EQ(report.damages[0].first.value, 3u);
}

TEST_F(wal_damage, a_header_that_cannot_be_read_is_as_good_as_damaged) {
    make_log();
    disk.fail_at({.at = {op_kind::read, shard::wal_path(files[1])}});
    EXPECT_TRUE(info(1).has_bad_copy);
}

TEST_F(wal_damage, a_file_that_is_gone_is_reported) {
    make_log();
    ASSERT_TRUE(shard::remove_log(disk, files[1]).get());
    EXPECT_TRUE(shard::remove_log(disk, files[1]).get()); // once more is no failure
    const auto found = read_all_logs(disk);
    EXPECT_EQ(found.records.size(), 3u);
    ASSERT_EQ(found.damages.size(), 1u);
    EXPECT_EQ(found.damages[0].first.value, 3u);
    EXPECT_EQ(found.damages[0].last.value, 4u);
}

TEST_F(wal_damage, the_logs_of_another_store_are_told_apart) {
    make_log();
    const auto infos = shard::list_logs(disk, wal_store + 1).get();
    EXPECT_EQ(infos->front().is, state::foreign);
    const auto report = shard::read_log(disk, *infos, [](const auto&) { return seastar::make_ready_future<>(); }).get();
    EXPECT_EQ(report.records_count, 0u);
}

TEST_F(wal_damage, a_data_directory_without_logs_has_none) {
    EXPECT_TRUE(shard::list_logs(disk, wal_store).get()->empty());
}

} // namespace

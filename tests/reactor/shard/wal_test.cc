// The log on a disk that does what it is told.

#include "shard/wal.hh"

#include <atomic>
#include <fstream>
#include <sstream>

#include <boost/range/irange.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <seastar/core/loop.hh>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>
#include <seastar/util/later.hh>

#include "shard/dma_disk.hh"
#include "shard/scrub.hh"
#include "shard/wal_replay.hh"
#include "shard/wal_scrub.hh"
#include "tests/lib/source_folder.hh"
#include "tests/lib/temporary_directory.hh"
#include "tests/reactor/shard/wal_workload.hh"

namespace {

using namespace testing_lib;
using shard::durability;
using sim::op_kind;
using testing::ElementsAre;
using testing::Field;

auto has_payload(const std::string& payload) {
    return Field(&found_log::record::payload, payload);
}

std::string golden() {
    std::ifstream in(testing_lib::source_folder() + "/tests/unit/shard/golden/wal_v1.log", std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
}

class wal : public testing::Test {
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

    base::sequence append(std::string payload, uint32_t count = 1, durability when = durability::urgent) {
        const auto last = append_to(*log, std::move(payload), count, when).get();
        EXPECT_TRUE(last) << base::to_string(last.error());
        return *last;
    }
    void append_durable(std::string payload) { ASSERT_TRUE(log->wait_durable(append(std::move(payload))).get()); }
    // Files that have been written to the end, one after the other.
    void fill_files(unsigned count) {
        for (unsigned i = 0; i < 2 * count; ++i) { // a third one does not fit
            append_durable(std::string(17'000, static_cast<char>('a' + i % 26)));
        }
    }
    std::vector<std::string> files() { return disk.list(shard::wal_folder).get(); }
    template <class Condition>
    static void wait_until(Condition holds) {
        while (!holds()) {
            seastar::yield().get();
        }
    }

    sim::sim_disk disk;
    std::optional<shard::wal> log;
};

TEST_F(wal, what_was_appended_is_found_in_order_after_a_stop) {
    start();
    append("one");
    append("two", 5);
    append("");
    log->stop().get();
    const auto found = read_all_logs(disk);
    EXPECT_THAT(found.records,
                ElementsAre(found_log::record{1, 1, "one"}, found_log::record{2, 5, "two"}, found_log::record{7, 1, ""}));
    ASSERT_EQ(found.reports.size(), 1u);
    EXPECT_EQ(found.reports[0].end, shard::wal_end::reason::closed);
    EXPECT_EQ(found.reports[0].next.value, 8u);
}

TEST_F(wal, a_second_epoch_stands_beside_the_first) {
    start();
    append_durable("old");
    log->stop().get();
    start(small_wal(2, 2));
    append_durable("new");
    log->stop().get();
    EXPECT_THAT(read_all_logs(disk).records, ElementsAre(has_payload("old"), has_payload("new")));
}

TEST_F(wal, the_bytes_are_those_of_the_golden_file) {
    start({.store = wal_store, .epoch = 3, .shard = 1, .next = {1000}, .file_bytes = 64 << 10});
    const auto write = [this](std::string_view payload, uint32_t count, uint8_t kind) {
        auto room = log->reserve(payload.size()).get();
        log->append(std::move(*room), log->next(), count, shard::record_kind{kind}, {&payload, 1}, durability::lazy);
    };
    write("hello", 1, 1);
    write("", 2, 2);
    ASSERT_TRUE(log->wait_durable({1002}).get());
    write("third", 1, 1);
    log->stop().get();
    const auto bytes = shard::read_whole(disk, "log/001-000000000001.log", 1 << 20).get();
    EXPECT_EQ(bytes.size(), 64u << 10);
    EXPECT_EQ(bytes.substr(0, golden().size()), golden());
}

TEST_F(wal, nobody_is_told_before_the_flush) {
    start();
    append_durable("a file is in use now");
    disk.hold({op_kind::flush});
    auto told = log->wait_durable(append("x"));
    wait_until([&] { return disk.held_count() > 0; });
    EXPECT_FALSE(told.available());
    EXPECT_EQ(log->durable().value, 1u);
    disk.release();
    EXPECT_TRUE(told.get());
    EXPECT_EQ(log->durable().value, 2u);
}

TEST_F(wal, one_flush_serves_all_who_came_while_the_one_before_was_under_way) {
    start();
    append_durable("a file is in use now");
    const auto before = log->counters().flushes_count;
    disk.hold({op_kind::flush});
    append("first");
    wait_until([&] { return disk.held_count() > 0; });
    for (int i = 0; i < 5; ++i) {
        append("in company");
    }
    EXPECT_EQ(log->counters().lag_count, 6u);
    disk.release();
    EXPECT_TRUE(log->wait_durable({7}).get());
    EXPECT_EQ(log->counters().flushes_count, before + 2);
    EXPECT_EQ(log->counters().lag_count, 0u);
}

TEST_F(wal, a_lazy_record_is_flushed_after_its_time) {
    auto config = small_wal();
    config.lazy_flush_after = std::chrono::milliseconds(1);
    start(config);
    append("lazy", 1, durability::lazy);
    wait_until([&] { return log->durable().value == 1; });
}

TEST_F(wal, a_lazy_record_goes_with_the_next_urgent_one) {
    auto config = small_wal();
    config.lazy_flush_after = std::chrono::hours(1);
    start(config);
    append("lazy", 1, durability::lazy);
    for (int i = 0; i < 100; ++i) {
        seastar::yield().get();
    }
    EXPECT_EQ(log->durable().value, 0u);
    append_durable("urgent");
    EXPECT_EQ(log->counters().flushes_count, 1u);
}

TEST_F(wal, asking_for_a_lazy_record_makes_it_urgent) {
    auto config = small_wal();
    config.lazy_flush_after = std::chrono::hours(1);
    start(config);
    EXPECT_TRUE(log->wait_durable(append("lazy", 1, durability::lazy)).get());
}

TEST_F(wal, lazy_records_never_use_up_the_buffer) {
    auto config = small_wal();
    config.lazy_flush_after = std::chrono::hours(1);
    start(config);
    for (int i = 0; i < 100; ++i) {
        append("lazy", 1, durability::lazy);
    }
    EXPECT_GT(log->durable().value, 80u);
}

TEST_F(wal, a_record_of_many_pieces_of_memory_comes_back) {
    start({.store = wal_store, .epoch = 1, .file_bytes = 16 << 20});
    std::string payload;
    for (int i = 0; payload.size() < 3'000'000; ++i) {
        payload += std::to_string(i);
    }
    append("before");
    append(payload);
    append("after");
    log->stop().get();
    EXPECT_THAT(read_all_logs(disk).records, ElementsAre(has_payload("before"), has_payload(payload), has_payload("after")));
}

TEST_F(wal, the_longest_payload_fits_and_a_longer_one_is_refused) {
    for (const uint64_t file_bytes : {uint64_t{16} << 10, uint64_t{64} << 10, uint64_t{32} << 20}) {
        disk.set_capacity(uint64_t{1} << 40);
        start({.store = wal_store, .epoch = file_bytes, .file_bytes = file_bytes});
        const auto longest = log->payload_bytes_max();
        append("something else first");
        append_durable(std::string(longest, 'x'));
        EXPECT_EQ(log->reserve(longest + 1).get().error().code, base::errc::invalid_argument);
        log->stop().get();
    }
    EXPECT_TRUE(read_all_logs(disk).damages.empty());
}

TEST_F(wal, writers_wait_while_the_buffer_is_used_up) {
    start();
    append_durable("a file is in use now");
    disk.hold({op_kind::flush});
    for (int i = 0; i < 8; ++i) {
        append("x"); // a block each, at worst
    }
    auto waiting = log->reserve(1);
    auto too = log->reserve(1);
    wait_until([&] { return disk.held_count() > 0; });
    EXPECT_FALSE(waiting.available());
    disk.release();
    EXPECT_TRUE(waiting.get());
    EXPECT_TRUE(too.get());
}

TEST_F(wal, a_reservation_that_is_not_used_is_given_back) {
    start();
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(log->reserve(20'000).get());
    }
    EXPECT_EQ(log->counters().buffered_bytes, 0u);
}

TEST_F(wal, a_full_file_is_followed_by_another) {
    start();
    fill_files(5);
    EXPECT_GE(log->counters().files_count, 5u);
    log->stop().get();
    const auto found = read_all_logs(disk);
    EXPECT_EQ(found.records.size(), 10u);
    EXPECT_TRUE(found.damages.empty());
}

TEST_F(wal, files_are_released_when_nothing_in_them_is_needed) {
    auto config = small_wal();
    config.can_recycle = false;
    start(config);
    fill_files(5);
    log->release({5}); // the last one is in the third file
    wait_until([&] { return files().front() == "000-000000000003.log"; });
    log->stop().get();
    EXPECT_EQ(read_all_logs(disk).records.front().first, 5u);
}

TEST_F(wal, released_files_are_used_again) {
    start();
    for (int round = 0; round < 20; ++round) {
        fill_files(1);
        log->release(log->durable());
    }
    log->stop().get();
    size_t created = 0;
    for (const auto& operation : disk.operations()) {
        created += operation.kind == op_kind::create;
    }
    EXPECT_LT(created, 10u);
    const auto found = read_all_logs(disk);
    EXPECT_TRUE(found.damages.empty());
    EXPECT_EQ(found.records.back().first, 40u);
}

TEST_F(wal, the_file_in_use_is_not_released) {
    start();
    append_durable("x");
    log->release({1});
    for (int i = 0; i < 100; ++i) {
        seastar::yield().get();
    }
    log->stop().get();
    EXPECT_EQ(read_all_logs(disk).records.size(), 1u);
}

TEST_F(wal, a_hold_names_the_files_with_all_that_was_appended_before) {
    start();
    fill_files(2);
    append("not durable yet", 1, durability::lazy);
    const auto held = log->hold().get();
    ASSERT_TRUE(held);
    append_durable("after the barrier");
    std::vector<shard::log_file_info> infos;
    for (const auto& info : *shard::list_logs(disk, wal_store).get()) {
        if (std::ranges::contains(*held, shard::wal_path(info.name))) {
            infos.push_back(info);
        }
    }
    const auto report = shard::read_log(disk, infos, [](const auto&) { return seastar::make_ready_future<>(); }).get();
    EXPECT_EQ(report.records_count, 5u);
    EXPECT_TRUE(report.damages.empty());
    log->unhold();
}

TEST_F(wal, held_files_stay_and_are_never_written_again) {
    start();
    fill_files(2);
    const auto held = log->hold().get();
    ASSERT_TRUE(held);
    disk.link(held->front(), "snapshot").get();
    const auto content = shard::read_whole(disk, "snapshot", 1 << 20).get();
    log->release(log->durable());
    fill_files(1);
    EXPECT_TRUE(disk.exists(held->front()).get());
    log->unhold();
    wait_until([&] { return !disk.exists(held->front()).get(); });
    fill_files(6);
    EXPECT_EQ(shard::read_whole(disk, "snapshot", 1 << 20).get(), content);
}

TEST_F(wal, a_stop_with_work_in_flight_keeps_what_was_acknowledged) {
    start();
    disk.slow(5);
    wal_workload workload(disk, *log, 1);
    auto running = workload.run(8, 1000);
    wait_until([&] { return log->durable().value > 100; });
    log->stop().get();
    running.get();
    EXPECT_EQ(workload.refusals().size(), 8u);
    for (const auto& refusal : workload.refusals()) {
        EXPECT_EQ(refusal.code, base::errc::shutting_down);
    }
    workload.check(disk, disk.operations_count());
    EXPECT_EQ(read_all_logs(disk).reports.back().end, shard::wal_end::reason::closed);
}

TEST_F(wal, a_stop_waits_for_a_reservation_and_takes_its_record) {
    start();
    auto room = log->reserve(1).get();
    auto stopped = log->stop();
    EXPECT_EQ(log->reserve(1).get().error().code, base::errc::shutting_down);
    EXPECT_FALSE(stopped.available());
    append_now(*log, std::move(*room), "x", 1, durability::lazy);
    stopped.get();
    EXPECT_EQ(read_all_logs(disk).records.size(), 1u);
}

TEST_F(wal, a_stop_leaves_no_file_that_was_never_used) {
    start();
    append_durable("x");
    log->stop().get();
    EXPECT_THAT(files(), ElementsAre("000-000000000001.log"));
}

TEST_F(wal, a_log_that_was_never_started_can_be_stopped) {
    log.emplace(disk, small_wal());
    log->stop().get();
}

// The server died, the machine did not: what it had written and not flushed can be read, and must not vanish afterwards.
TEST_F(wal, what_a_replay_hands_out_survives_a_power_cut) {
    disk.make_directory(shard::wal_folder).get();
    auto f = disk.open("log/001-000000000001.log", shard::open_mode::create).get();
    disk.sync_directory("").get();
    disk.sync_directory(shard::wal_folder).get();
    auto bytes = f->allocate(golden().size());
    std::ranges::copy(golden(), bytes.get_write());
    f->write(0, bytes.get(), bytes.size()).get();
    f->close().get();
    EXPECT_EQ(read_all_logs(disk).records.size(), 3u);
    EXPECT_EQ(read_all_logs(*disk.crash_image(sim::crash_policy::drop_all())).records.size(), 3u);
}

seastar::future<> write_on_this_shard(std::string root) {
    return seastar::async([root] {
        shard::dma_disk disk(root);
        shard::wal log(disk, {.store = wal_store, .epoch = 1, .shard = seastar::this_shard_id(), .file_bytes = 1 << 20});
        ASSERT_TRUE(log.start().get());
        seastar::parallel_for_each(boost::irange(0, 16), [&log](int) -> seastar::future<> {
            for (int i = 0; i < 50; ++i) {
                const auto last = co_await append_to(log, std::string(2000, 'x'));
                EXPECT_TRUE(last && co_await log.wait_durable(*last));
            }
        }).get();
        log.stop().get();
    });
}

TEST(wal_on_a_real_disk, every_shard_has_its_log) {
    temporary_directory directory;
    seastar::smp::invoke_on_all([root = directory.path()] { return write_on_this_shard(root); }).get();
    shard::dma_disk disk(directory.path());
    const auto found = read_all_logs(disk);
    EXPECT_EQ(found.records.size(), 800u * seastar::smp::count);
    EXPECT_EQ(found.reports.size(), seastar::smp::count);
    EXPECT_TRUE(found.damages.empty());
}

// The reader has seen where the log ended when it goes on, and finds later records that say what was durable before them.
TEST_F(wal, verifying_it_while_it_is_written_finds_no_damage) {
    auto config = small_wal();
    config.file_bytes = 1 << 20;
    config.buffer_bytes = 512 << 10;
    start(config);
    append_durable("first");
    disk.slow(50);
    const std::atomic<bool> must_stop = false;
    shard::scrub pass(0, must_stop);
    const auto bytes_before = disk.reads().bytes;
    auto verified = shard::scrub_log(disk, *log, pass);
    wait_until([&] { return disk.reads().bytes > bytes_before + (100 << 10) || verified.available(); }); // more than headers
    disk.hold({op_kind::read, "log/*"});
    wait_until([&] { return disk.held_count() > 0 || verified.available(); });
    ASSERT_FALSE(verified.available());
    for (int i = 0; i < 20; ++i) {
        append_durable(std::string(17'000, 'x'));
    }
    disk.release();
    verified.get();
    EXPECT_THAT(pass.summary().damage, testing::IsEmpty());
}

} // namespace

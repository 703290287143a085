// Edit logs on a simulated disk: cut off at every operation, with every kind of failure, and damaged in every byte.

#include "shard/edit_log.hh"

#include <charconv>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/checksum.hh"
#include "base/coding.hh"
#include "shard/dma_disk.hh"
#include "shard/manifest.hh"
#include "tests/lib/temporary_directory.hh"
#include "tests/sim/sim_disk.hh"

namespace {

using base::errc;
using sim::crash_policy;
using sim::op_kind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr shard::edit_log_options small{.reserve_bytes = 2 * shard::edit_block_bytes};

shard::edit_log::opened open_log(shard::disk& disk, shard::edit_log_options options = small) {
    auto opened = shard::edit_log::open(disk, "log", options).get();
    if (!opened) {
        throw std::runtime_error(base::to_string(opened.error()));
    }
    return std::move(*opened);
}

std::vector<std::string> edits_of(shard::disk& disk) {
    auto opened = open_log(disk);
    opened.log->close().get();
    return opened.edits;
}

errc code_of(const base::expected<void>& outcome) {
    return outcome.error().code;
}

// A history that counts: the edit "n" follows n - 1, the edit "=n" stands for everything up to n. Padded, to fill blocks.
std::string counting(int n, char kind = '+', size_t length = 700) {
    auto text = kind + std::to_string(n);
    text.resize(length, ' ');
    return text;
}

// How far a history counts; -1 when it is not one.
int count(const std::vector<std::string>& edits) {
    int at = 0;
    for (const auto& edit : edits) {
        int n = 0;
        std::from_chars(edit.data() + 1, edit.data() + edit.size(), n);
        if (edit[0] == '+' && n != at + 1) {
            return -1;
        }
        at = n;
    }
    return at;
}

// Appends and rewrites, noting after which operation what was sent and what was acknowledged.
class workload {
public:
    explicit workload(sim::sim_disk& disk) : _disk(disk) {}

    void run() {
        auto opened = shard::edit_log::open(_disk, "log", small).get();
        if (!opened) {
            return;
        }
        _log = std::move(opened->log);
        append(3);
        append_together(4);
        rewrite(2);
        append(12); // beyond what the files hold at first
        rewrite(1);
        append_together(3);
        rewrite(5);
        append(2);
        _log->close().get();
    }

    // The bounds of what may be found when the power goes after so many operations.
    int acknowledged(uint64_t operations) const { return last(_acknowledged, operations); }
    int sent(uint64_t operations) const { return last(_sent, operations); }
    int acknowledged() const { return acknowledged(UINT64_MAX); }
    int sent() const { return sent(UINT64_MAX); }
    // Whether something succeeded after an append had failed.
    bool went_on_after_failure() const { return _went_on; }

private:
    using moments = std::vector<std::pair<uint64_t, int>>;

    static int last(const moments& m, uint64_t operations) {
        int n = 0;
        for (const auto& [at, value] : m) {
            n = at <= operations ? std::max(n, value) : n;
        }
        return n;
    }

    void append(int edits) {
        for (int i = 0; i < edits; ++i) {
            send(1);
            settle(_next, _log->append(counting(_next)).get());
        }
    }

    void append_together(int edits) {
        std::vector<std::pair<int, seastar::future<base::expected<void>>>> appends;
        for (int i = 0; i < edits; ++i) {
            send(1);
            appends.emplace_back(_next, _log->append(counting(_next)));
        }
        for (auto& [n, done] : appends) {
            settle(n, done.get());
        }
    }

    void rewrite(int edits) {
        // Failed appends may or may not be in the history: a snapshot of what this program believes says which.
        std::vector<std::string> snapshot(static_cast<size_t>(edits), counting(_next, '='));
        if (_log->rewrite(std::move(snapshot)).get()) {
            _acknowledged.emplace_back(_disk.operations_count(), _next);
            _went_on |= _has_failed;
        }
    }

    void send(int edits) {
        _next += edits;
        _sent.emplace_back(_disk.operations_count(), _next);
    }

    void settle(int n, const base::expected<void>& outcome) {
        if (outcome) {
            _acknowledged.emplace_back(_disk.operations_count(), n);
            _went_on |= _has_failed;
        } else {
            // An append that found no space was not written; the ones after it would leave a gap in the counting.
            _has_failed |= outcome.error().code != errc::out_of_space;
            _next = n - 1;
        }
    }

    sim::sim_disk& _disk;
    std::unique_ptr<shard::edit_log> _log;
    int _next = 0;
    moments _sent, _acknowledged;
    bool _has_failed = false, _went_on = false;
};

class edit_log : public testing::Test {
protected:
    void expect_found(sim::sim_disk& image, const workload& load, uint64_t operations, const std::string& where) {
        auto opened = open_log(image);
        EXPECT_THAT(opened.report.lost, IsEmpty()) << where;
        const auto found = count(opened.edits);
        EXPECT_GE(found, load.acknowledged(operations)) << where;
        EXPECT_LE(found, load.sent(operations)) << where;
        EXPECT_TRUE(opened.log->append(counting(found + 1)).get());
        opened.log->close().get();
        EXPECT_EQ(count(edits_of(image)), found + 1) << where;
    }

    sim::sim_disk disk;
};

TEST_F(edit_log, edits_come_back_in_order) {
    auto first = open_log(disk);
    EXPECT_TRUE(first.report.was_created);
    EXPECT_THAT(first.edits, IsEmpty());
    EXPECT_TRUE(first.log->append("create cpu").get());
    EXPECT_TRUE(first.log->append("").get());
    EXPECT_TRUE(first.log->append(std::string(5000, 'x')).get());
    first.log->close().get();
    auto second = open_log(disk);
    EXPECT_FALSE(second.report.was_created);
    EXPECT_EQ(second.report.repairs_count, 0u);
    EXPECT_THAT(second.edits, ElementsAre("create cpu", "", std::string(5000, 'x')));
    EXPECT_TRUE(second.log->append("drop cpu").get());
    second.log->close().get();
    EXPECT_THAT(edits_of(disk), ElementsAre("create cpu", "", std::string(5000, 'x'), "drop cpu"));
}

TEST_F(edit_log, a_rewrite_replaces_the_history) {
    auto log = std::move(open_log(disk).log);
    for (int round = 0; round < 5; ++round) {
        EXPECT_TRUE(log->append("old").get());
        EXPECT_TRUE(log->rewrite({"a", std::string(9000, 'b')}).get());
        EXPECT_TRUE(log->append("new").get());
    }
    log->close().get();
    EXPECT_THAT(edits_of(disk), ElementsAre("a", std::string(9000, 'b'), "new"));
}

TEST_F(edit_log, a_rewrite_may_leave_nothing) {
    auto log = std::move(open_log(disk).log);
    EXPECT_TRUE(log->append("old").get());
    EXPECT_TRUE(log->rewrite({}).get());
    log->close().get();
    EXPECT_THAT(edits_of(disk), IsEmpty());
}

TEST_F(edit_log, a_long_history_comes_back) {
    auto log = std::move(open_log(disk).log);
    std::vector<std::string> snapshot;
    for (int i = 0; i < 1000; ++i) {
        snapshot.push_back(std::to_string(i) + std::string(static_cast<size_t>(i), '.'));
    }
    snapshot.push_back(std::string(shard::edit_bytes_max, 'm'));
    EXPECT_TRUE(log->rewrite(snapshot).get());
    EXPECT_TRUE(log->append(snapshot.back()).get());
    log->close().get();
    snapshot.push_back(snapshot.back());
    EXPECT_EQ(edits_of(disk), snapshot);
}

TEST_F(edit_log, appends_that_wait_together_share_their_flushes) {
    auto log = std::move(open_log(disk).log);
    const auto flushes_before = disk.flush_boundaries().size();
    std::vector<seastar::future<base::expected<void>>> appends;
    for (int i = 1; i <= 50; ++i) {
        appends.push_back(log->append(counting(i, '+', 20)));
    }
    for (auto& done : appends) {
        EXPECT_TRUE(done.get());
    }
    EXPECT_LE(disk.flush_boundaries().size() - flushes_before, 4u);
    log->close().get();
    EXPECT_EQ(count(edits_of(disk)), 50);
}

TEST_F(edit_log, appends_called_after_a_rewrite_come_behind_it) {
    disk.slow(5);
    auto log = std::move(open_log(disk).log);
    auto one = log->append("one");
    auto two = log->append("two");
    auto snapshot = log->rewrite({"one and two"});
    auto three = log->append("three");
    EXPECT_TRUE(three.get());
    EXPECT_TRUE(one.get() && two.get() && snapshot.get());
    log->close().get();
    EXPECT_THAT(edits_of(disk), ElementsAre("one and two", "three"));
}

TEST_F(edit_log, an_edit_that_is_too_long_is_refused) {
    auto log = std::move(open_log(disk).log);
    EXPECT_EQ(code_of(log->append(std::string(shard::edit_bytes_max + 1, 'x')).get()), errc::invalid_argument);
    EXPECT_EQ(code_of(log->rewrite({std::string(shard::edit_bytes_max + 1, 'x')}).get()), errc::invalid_argument);
    EXPECT_TRUE(log->append("short").get());
    log->close().get();
}

TEST_F(edit_log, a_history_that_is_full_asks_for_a_rewrite) {
    auto log = std::move(open_log(disk).log);
    const std::vector<std::string> most(30, std::string(shard::edit_bytes_max, 'x'));
    EXPECT_TRUE(log->rewrite(most).get());
    EXPECT_TRUE(log->append(most[0]).get());
    EXPECT_EQ(code_of(log->append(most[0]).get()), errc::out_of_space);
    EXPECT_TRUE(log->rewrite({"short"}).get());
    EXPECT_TRUE(log->append("again").get());
    log->close().get();
    EXPECT_THAT(edits_of(disk), ElementsAre("short", "again"));
}

// --- power cuts -------------------------------------------------------------------------------------------------------

TEST_F(edit_log, a_power_cut_at_any_operation_leaves_what_was_acknowledged) {
    workload load(disk);
    load.run();
    ASSERT_EQ(load.acknowledged(), 24);
    for (uint64_t at = 0; at <= disk.operations_count(); ++at) {
        const auto where = "after operation " + std::to_string(at);
        expect_found(*disk.crash_image(at, crash_policy::keep_all()), load, at, where + ", all kept");
        expect_found(*disk.crash_image(at, crash_policy::drop_all()), load, at, where + ", all dropped");
        for (uint64_t seed = 0; seed < 8; ++seed) {
            expect_found(*disk.crash_image(at, crash_policy::random(seed)), load, at, where + ", seed " + std::to_string(seed));
        }
    }
}

TEST_F(edit_log, a_power_cut_while_opening_after_a_power_cut_loses_nothing_either) {
    workload load(disk);
    load.run();
    for (uint64_t at = 0; at <= disk.operations_count(); at += 3) {
        auto first = disk.crash_image(at, crash_policy::random(at));
        const auto before = first->operations_count();
        open_log(*first).log->close().get();
        for (auto again = before; again <= first->operations_count(); ++again) {
            const auto where = "after operation " + std::to_string(at) + " and again after " + std::to_string(again - before);
            expect_found(*first->crash_image(again, crash_policy::random(again)), load, at, where);
        }
    }
}

TEST_F(edit_log, what_an_ended_process_left_unflushed_is_durable_once_it_was_read) {
    auto log = std::move(open_log(disk).log);
    EXPECT_TRUE(log->append("one").get());
    disk.fail_at({.at = {.kind = op_kind::flush}});
    EXPECT_EQ(code_of(log->append("two").get()), errc::io_error);
    // The next process sees what was written, since there was no power cut.
    log->close().get();
    EXPECT_THAT(edits_of(disk), ElementsAre("one", "two"));
    EXPECT_THAT(edits_of(*disk.crash_image(crash_policy::drop_all())), ElementsAre("one", "two"));
}

// --- failures ---------------------------------------------------------------------------------------------------------

TEST_F(edit_log, a_failed_flush_ends_the_log) {
    auto log = std::move(open_log(disk).log);
    EXPECT_TRUE(log->append("one").get());
    disk.fail_at({.at = {.kind = op_kind::flush}});
    EXPECT_EQ(code_of(log->append("two").get()), errc::io_error);
    EXPECT_TRUE(log->has_failed());
    EXPECT_EQ(code_of(log->append("three").get()), errc::log_failed);
    EXPECT_EQ(code_of(log->rewrite({"four"}).get()), errc::log_failed);
    log->close().get();
    EXPECT_THAT(edits_of(*disk.crash_image(crash_policy::drop_all())), ElementsAre("one"));
}

TEST_F(edit_log, a_rewrite_that_fails_before_its_commit_leaves_the_log_usable) {
    auto log = std::move(open_log(disk).log);
    EXPECT_TRUE(log->append("one").get());
    disk.fail_at({.at = {.kind = op_kind::flush, .path = "log.1b"}});
    EXPECT_EQ(code_of(log->rewrite({"snapshot"}).get()), errc::io_error);
    EXPECT_FALSE(log->has_failed());
    EXPECT_TRUE(log->append("two").get());
    EXPECT_TRUE(log->rewrite({"one and two"}).get());
    log->close().get();
    EXPECT_THAT(edits_of(*disk.crash_image(crash_policy::drop_all())), ElementsAre("one and two"));
}

TEST_F(edit_log, a_rewrite_whose_commit_fails_ends_the_log) {
    auto log = std::move(open_log(disk).log);
    EXPECT_TRUE(log->append("one").get());
    disk.fail_at({.at = {.kind = op_kind::flush, .path = "log.1a"}, .nth = 2});
    EXPECT_EQ(code_of(log->rewrite({"snapshot"}).get()), errc::io_error);
    EXPECT_EQ(code_of(log->append("two").get()), errc::log_failed);
    log->close().get();
}

void fail_at_every_operation(int error, sim::fault_effect effect) {
    uint64_t operations = 0;
    {
        sim::sim_disk whole;
        workload(whole).run();
        operations = whole.operations_count();
    }
    for (uint64_t nth = 1; nth <= operations; ++nth) {
        sim::sim_disk disk;
        // Reads and look-ups are counted too, so the last ones never come; the first ones hit the opening.
        disk.fail_at({.at = {}, .nth = nth, .error = error, .effect = effect});
        workload load(disk);
        load.run();
        EXPECT_FALSE(load.went_on_after_failure()) << nth;
        disk.clear_faults();
        for (uint64_t seed = 0; seed < 4; ++seed) {
            const auto found = count(edits_of(*disk.crash_image(crash_policy::random(seed))));
            EXPECT_GE(found, load.acknowledged()) << nth << " seed " << seed;
            EXPECT_LE(found, load.sent()) << nth << " seed " << seed;
        }
        const auto found = count(edits_of(disk));
        EXPECT_GE(found, load.acknowledged()) << nth;
        EXPECT_LE(found, load.sent()) << nth;
    }
}

TEST_F(edit_log, an_error_at_any_operation_loses_nothing_acknowledged) {
    fail_at_every_operation(EIO, sim::fault_effect::nothing);
    fail_at_every_operation(EIO, sim::fault_effect::torn);
}

TEST_F(edit_log, a_full_disk_at_any_operation_loses_nothing_acknowledged) {
    fail_at_every_operation(ENOSPC, sim::fault_effect::nothing);
    fail_at_every_operation(ENOSPC, sim::fault_effect::torn);
}

TEST_F(edit_log, hundreds_of_appends_and_rewrites_need_no_space) {
    auto log = std::move(open_log(disk, {}).log);
    disk.fill();
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 600; ++i) {
            ASSERT_TRUE(log->append(std::string(180, 'd')).get()) << round << ' ' << i;
        }
        ASSERT_TRUE(log->rewrite(std::vector<std::string>(600, std::string(180, 's'))).get());
    }
    log->close().get();
    log = std::move(open_log(disk, {}).log);
    EXPECT_TRUE(log->append("still").get());
    log->close().get();
    EXPECT_EQ(disk.space().get().free_bytes, 0u);
}

TEST_F(edit_log, the_reserve_is_made_while_there_is_space) {
    auto log = std::move(open_log(disk).log);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(log->append(std::string(1000, 'x')).get());
    }
    disk.fill();
    for (int i = 0; i < 7; ++i) {
        ASSERT_TRUE(log->append(std::string(1000, 'x')).get()) << i;
    }
    ASSERT_TRUE(log->rewrite(std::vector<std::string>(100, std::string(1000, 's'))).get());
    log->close().get();
}

TEST_F(edit_log, a_longer_copy_in_the_other_slot_does_not_ask_for_space) {
    open_log(disk).log->close().get();
    auto f = disk.open("log.1a", shard::open_mode::read_write).get();
    const auto more = f->allocate(4 * shard::edit_block_bytes);
    f->write(f->size().get(), more.get(), more.size()).get();
    f->close().get();
    disk.fill();
    auto log = std::move(open_log(disk).log);
    EXPECT_TRUE(log->rewrite({"snapshot"}).get());
    log->close().get();
    EXPECT_THAT(edits_of(disk), ElementsAre("snapshot"));
}

TEST_F(edit_log, without_reserve_a_full_disk_refuses_and_recovers) {
    auto log = std::move(open_log(disk).log);
    disk.fill();
    base::expected<void> outcome;
    int appended = -1;
    do {
        ++appended;
        outcome = log->append(std::string(1000, 'x')).get();
    } while (outcome);
    EXPECT_EQ(code_of(outcome), errc::out_of_space);
    EXPECT_FALSE(log->has_failed());
    disk.set_capacity(1 << 30);
    EXPECT_TRUE(log->append("room again").get());
    log->close().get();
    EXPECT_THAT(edits_of(disk), SizeIs(static_cast<size_t>(appended) + 1));
}

// --- damage -----------------------------------------------------------------------------------------------------------

class damaged_edit_log : public edit_log {
protected:
    damaged_edit_log() {
        auto log = std::move(open_log(disk).log);
        log->append("old").get().value();
        log->rewrite({"one", "two"}).get().value(); // the live slot is 1
        log->append("three").get().value();
        log->close().get();
        size = disk.crash_image(crash_policy::keep_all())->open("log.1a", shard::open_mode::read).get()->size().get();
    }

    std::unique_ptr<sim::sim_disk> copy() const { return disk.crash_image(crash_policy::drop_all()); }

    uint64_t size = 0;
    const std::vector<std::string> edits{"one", "two", "three"};
};

TEST_F(damaged_edit_log, a_flipped_bit_in_any_byte_of_any_file_is_healed) {
    for (std::string file : {"log.0a", "log.0b", "log.1a", "log.1b"}) {
        for (uint64_t at = 0; at < size; at += at < 2 * shard::edit_block_bytes ? 1 : 61) {
            auto image = copy();
            image->flip_bit(file, at, at % 8);
            auto opened = open_log(*image);
            opened.log->close().get();
            ASSERT_EQ(opened.edits, edits) << file << ' ' << at;
            ASSERT_EQ(opened.report.repairs_count, file.starts_with("log.1") ? 1u : 0u) << file << ' ' << at;
            ASSERT_EQ(open_log(*image).report.repairs_count, 0u) << file << ' ' << at;
        }
    }
}

TEST_F(damaged_edit_log, a_check_of_an_open_one_names_the_copy_and_changes_nothing) {
    auto image = copy();
    auto opened = open_log(*image);
    EXPECT_THAT(opened.log->check().get().value(), IsEmpty());
    image->flip_bit("log.1b", shard::edit_block_bytes + 100, 3);
    for (int i = 0; i < 2; ++i) {
        const auto damage = opened.log->check().get().value();
        ASSERT_THAT(damage, SizeIs(1));
        EXPECT_TRUE(damage[0].starts_with("log.1b, bytes ")) << damage[0];
    }
    EXPECT_TRUE(opened.log->append("one more").get());
    opened.log->close().get();
    EXPECT_EQ(edits_of(*image).size(), edits.size() + 1);
}

TEST_F(damaged_edit_log, a_missing_or_unreadable_copy_is_made_again) {
    for (std::string file : {"log.1a", "log.1b"}) {
        auto image = copy();
        image->remove(file).get();
        EXPECT_EQ(edits_of(*image), edits);
        image->remove(file == "log.1a" ? "log.1b" : "log.1a").get();
        EXPECT_EQ(edits_of(*image), edits);
        image->fail_at({.at = {.kind = op_kind::read, .path = file}, .times = 100});
        EXPECT_EQ(edits_of(*image), edits);
        image->clear_faults();
        EXPECT_EQ(open_log(*image).report.repairs_count, 0u);
    }
}

TEST_F(damaged_edit_log, damage_in_both_copies_is_told_until_a_rewrite) {
    const uint64_t at_two = shard::edit_block_bytes + shard::edit_frame_head_bytes + 8;
    disk.flip_bit("log.1a", at_two + 1, 0);
    disk.flip_bit("log.1b", at_two + 9, 0);
    for (int round = 0; round < 2; ++round) {
        auto opened = open_log(disk);
        EXPECT_THAT(opened.edits, ElementsAre("one", "three"));
        EXPECT_THAT(opened.report.lost, ElementsAre(shard::lost_edits{at_two, shard::edit_frame_head_bytes + 8, 2, 3}));
        opened.log->close().get();
    }
    auto opened = open_log(disk);
    EXPECT_TRUE(opened.log->rewrite({"one", "three"}).get());
    opened.log->close().get();
    opened = open_log(disk);
    EXPECT_THAT(opened.report.lost, IsEmpty());
    opened.log->close().get();
}

TEST_F(damaged_edit_log, appends_go_on_behind_damage_at_the_end) {
    const uint64_t at_three = shard::edit_block_bytes + 2 * (shard::edit_frame_head_bytes + 8);
    disk.flip_bit("log.1a", at_three, 0);
    disk.flip_bit("log.1b", at_three, 1);
    auto opened = open_log(disk);
    EXPECT_THAT(opened.report.lost, SizeIs(1));
    EXPECT_TRUE(opened.log->append("four").get());
    opened.log->close().get();
    opened = open_log(disk);
    EXPECT_THAT(opened.edits, ElementsAre("one", "two", "four"));
    EXPECT_THAT(opened.report.lost, SizeIs(1));
    opened.log->close().get();
}

TEST_F(damaged_edit_log, without_any_header_it_is_refused) {
    for (std::string file : {"log.0a", "log.0b", "log.1a", "log.1b"}) {
        disk.flip_bit(file, 20, 0);
    }
    const auto opened = shard::edit_log::open(disk, "log", small).get();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, errc::corrupt);
}

TEST_F(damaged_edit_log, a_later_format_is_refused) {
    auto block = shard::encode_edit_header({.log_id = 1, .generation = 9});
    block[16] = shard::edit_log_version + 1;
    std::string checksum;
    base::put_fixed(checksum, base::checksum64(std::string_view(block).substr(8)));
    block.replace(0, 8, checksum);
    auto f = disk.open("log.0a", shard::open_mode::read_write).get();
    auto buffer = f->allocate(block.size());
    std::ranges::copy(block, buffer.get_write());
    f->write(0, buffer.get(), buffer.size()).get();
    f->close().get();
    const auto opened = shard::edit_log::open(disk, "log", small).get();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, errc::newer_format);
}

TEST_F(edit_log, works_on_a_real_disk) {
    testing_lib::temporary_directory directory;
    shard::dma_disk real(directory.path());
    auto log = std::move(open_log(real, {}).log);
    for (int i = 1; i <= 20; ++i) {
        ASSERT_TRUE(log->append(counting(i)).get());
    }
    EXPECT_TRUE(log->rewrite({counting(20, '=')}).get());
    EXPECT_TRUE(log->append(counting(21)).get());
    log->close().get();
    auto opened = open_log(real, {});
    opened.log->close().get();
    EXPECT_EQ(count(opened.edits), 21);
    EXPECT_THAT(opened.edits, SizeIs(2));
    EXPECT_EQ(opened.report.repairs_count, 0u);
}

TEST_F(edit_log, a_history_is_long_before_it_is_full) {
    EXPECT_EQ(shard::long_history_bytes(1 << 20), 4u << 20);
    for (uint64_t bytes = 1; bytes < shard::edit_log_bytes_max; bytes *= 3) {
        EXPECT_GT(shard::long_history_bytes(bytes), bytes);
        EXPECT_LT(shard::long_history_bytes(bytes), shard::edit_log_bytes_max);
    }
}

TEST(manifest, a_large_one_takes_edits_for_ever) {
    sim::sim_disk disk({.operations = sim::history::drop});
    ASSERT_TRUE(shard::manifest::list(disk).get());
    auto opened = shard::manifest::open(disk, 0).get();
    ASSERT_TRUE(opened);
    const std::string facts(1'000'000, 'x');
    constexpr int files = 31; // nearly all that there is room for
    for (int edit = 0; edit < 2 * files; ++edit) {
        const auto done = opened->log->apply(shard::files_edit{.added = {{std::to_string(edit % files), facts}}}).get();
        ASSERT_TRUE(done) << edit << ": " << base::to_string(done.error());
    }
    EXPECT_EQ(opened->log->state().files(shard::log_owner::rows).size(), size_t{files});
    opened->log->close().get();
}

} // namespace

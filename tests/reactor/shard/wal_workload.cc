#include "tests/reactor/shard/wal_workload.hh"

#include <algorithm>

#include <boost/range/irange.hpp>
#include <gtest/gtest.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/loop.hh>

namespace testing_lib {

found_log read_all_logs(shard::disk& disk) {
    found_log found;
    const auto files = shard::list_logs(disk, wal_store).get();
    EXPECT_TRUE(files) << base::to_string(files.error());
    const auto same_log = [](const auto& a, const auto& b) { return a.id.epoch == b.id.epoch && a.id.shard == b.id.shard; };
    for (auto begin = files->begin(); begin != files->end();) {
        const auto end = std::find_if(begin, files->end(), [&](const auto& file) { return !same_log(*begin, file); });
        auto report = shard::read_log(disk, {begin, end}, [&](const shard::wal_record& record) {
                          found.records.push_back({record.first.value, record.sequences_count, std::string(record.payload)});
                          return seastar::make_ready_future<>();
                      }).get();
        found.damages.insert(found.damages.end(), report.damages.begin(), report.damages.end());
        found.reports.push_back(std::move(report));
        begin = end;
    }
    return found;
}

base::sequence append_now(shard::wal& wal, shard::wal::reservation room, std::string_view payload, uint32_t sequences_count,
                          shard::durability when) {
    const auto first = wal.next();
    const std::string_view pieces[] = {payload.substr(0, payload.size() / 3), payload.substr(payload.size() / 3)};
    wal.append(std::move(room), first, sequences_count, shard::record_kind{1}, pieces, when);
    return {first.value + sequences_count - 1};
}

seastar::future<base::expected<base::sequence>> append_to(shard::wal& wal, std::string payload, uint32_t sequences_count,
                                                          shard::durability when) {
    auto room = co_await wal.reserve(payload.size());
    if (!room) {
        co_return std::unexpected(room.error());
    }
    co_return append_now(wal, std::move(*room), payload, sequences_count, when);
}

seastar::future<> wal_workload::run(size_t fibers, size_t records) {
    co_await seastar::parallel_for_each(boost::irange<size_t>(0, fibers),
                                        [this, records](size_t) { return write_records(records); });
}

seastar::future<> wal_workload::write_records(size_t count) {
    for (bool goes_on = true; goes_on && count > 0; --count) {
        goes_on = co_await write_one();
    }
}

seastar::future<bool> wal_workload::write_one() {
    // Mostly small ones, some of several blocks, in letters that tell one record from another.
    const auto length = _random() % 8 == 0 ? _random() % 12'000 : _random() % 300;
    const auto sequences_count = static_cast<uint32_t>(1 + _random() % 3);
    const std::string payload(length, static_cast<char>('a' + _random() % 26));
    auto room = co_await _wal.reserve(length);
    if (!room) {
        _refusals.push_back(room.error());
        co_return false;
    }
    const auto index = _written.size();
    const auto last = append_now(_wal, std::move(*room), payload, sequences_count);
    _written.push_back(
        {.record = {last.value + 1 - sequences_count, sequences_count, payload}, .appended_at = _disk.operations_count()});
    if (const auto durable = co_await _wal.wait_durable(last); !durable) {
        _refusals.push_back(durable.error());
        co_return false;
    }
    EXPECT_GE(_wal.durable(), last);
    _written[index].acknowledged_at = _disk.operations_count();
    release_some();
    co_return true;
}

void wal_workload::release_some() {
    if (does_release && _random() % 16 == 0 && _wal.durable().value > 40) {
        _released.push_back({.at = _disk.operations_count(), .upto = _wal.durable().value - 40});
        _wal.release({_released.back().upto});
    }
}

size_t wal_workload::acknowledged_count() const {
    return static_cast<size_t>(std::ranges::count_if(_written, [](const auto& w) { return w.acknowledged_at.has_value(); }));
}

void wal_workload::check(sim::sim_disk& image, uint64_t operations) const {
    const auto found = read_all_logs(image);
    EXPECT_TRUE(found.damages.empty()) << "sequences from " << found.damages.front().first.value;
    uint64_t released = 0;
    for (const auto& r : _released) {
        released = r.at <= operations ? std::max(released, r.upto) : released;
    }
    auto next = found.records.begin();
    if (next != found.records.end()) { // in order and without a gap, from some record on
        auto expected = std::ranges::find(_written, next->first, [](const auto& w) { return w.record.first; });
        for (; next != found.records.end(); ++next, ++expected) {
            ASSERT_TRUE(expected != _written.end()) << "never appended: " << next->first;
            ASSERT_EQ(*next, expected->record);
            ASSERT_LE(expected->appended_at, operations);
        }
    }
    for (const auto& w : _written) {
        if (w.acknowledged_at && *w.acknowledged_at <= operations && w.record.first > released) {
            ASSERT_TRUE(!found.records.empty() && found.records.front().first <= w.record.first &&
                        found.records.back().first >= w.record.first)
                << "acknowledged and lost: " << w.record.first;
        }
    }
}

} // namespace testing_lib

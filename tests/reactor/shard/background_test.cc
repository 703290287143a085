#include "shard/background.hh"

#include <stdexcept>

#include <gtest/gtest.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/semaphore.hh>

namespace {

TEST(background, closing_the_gate_waits_for_the_work) {
    seastar::gate gate;
    seastar::semaphore go(0);
    bool is_done = false;
    shard::run_in_background(gate, "test", [&] { return go.wait().then([&] { is_done = true; }); });
    auto closed = gate.close();
    EXPECT_FALSE(closed.available());
    go.signal();
    closed.get();
    EXPECT_TRUE(is_done);
}

TEST(background, nothing_starts_behind_a_closed_gate) {
    seastar::gate gate;
    gate.close().get();
    bool has_started = false;
    shard::run_in_background(gate, "test", [&] {
        has_started = true;
        return seastar::make_ready_future<>();
    });
    EXPECT_FALSE(has_started);
}

TEST(background, failures_and_stops_end_the_work_alone) {
    seastar::gate gate;
    seastar::semaphore never(0);
    shard::run_in_background(gate, "test", [] { return seastar::make_exception_future<>(std::runtime_error("as planned")); });
    shard::run_in_background(gate, "test", [] -> seastar::future<> { throw std::runtime_error("as planned"); });
    shard::run_in_background(gate, "test", [&] { return never.wait(); });
    never.broken();
    gate.close().get();
}

} // namespace

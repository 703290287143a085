#include "shard/background.hh"

#include <seastar/core/abort_source.hh>
#include <seastar/core/condition-variable.hh>
#include <seastar/core/coroutine.hh>
#include <seastar/core/semaphore.hh>

#include "shard/logger.hh"

namespace shard {
namespace {

seastar::future<> run(seastar::gate::holder, const char* what, seastar::noncopyable_function<seastar::future<>()> work) {
    try {
        co_await work();
    } catch (const seastar::gate_closed_exception&) {
        // these four are how waiting work learns of a stop; that is all
    } catch (const seastar::abort_requested_exception&) {
    } catch (const seastar::broken_semaphore&) {
    } catch (const seastar::broken_condition_variable&) {
    } catch (...) {
        logger.error("{}: {}", what, std::current_exception());
    }
}

} // namespace

void run_in_background(seastar::gate& gate, const char* what, seastar::noncopyable_function<seastar::future<>()> work) {
    if (auto hold = gate.try_hold()) {
        auto running = run(std::move(*hold), what, std::move(work));
        (void)running; // held by the gate, and it never fails
    }
}

} // namespace shard

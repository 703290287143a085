// Work that nobody awaits: it runs under a gate, so that whoever owns it can wait for it, and its failure is logged.
#pragma once

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/util/noncopyable_function.hh>

namespace shard {

// Starts `work` unless the gate is closed. Close the gate to wait for it. `what` is for the log.
void run_in_background(seastar::gate&, const char* what, seastar::noncopyable_function<seastar::future<>()> work);

} // namespace shard

// Errors of the intake as JSON that our own clients and InfluxDB's understand:
//
//   {"error":{"code":"...","message":"..."},"code":"...","message":"...","lines":[{"line":3,"reason":"..."}]}
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "http/reply_writer.hh"
#include "ingest/core/line_fault.hh"

namespace ingest {

struct refusal {
    unsigned status = 400;
    std::string_view code;
    std::string message;
};

// Why rows were not stored.
refusal refusal_of(const base::error&);

seastar::future<> send_error(http::reply_writer&, refusal);
// 400 about some of a request's lines, all of them or the first ones.
seastar::future<> send_bad_lines(http::reply_writer&, uint64_t rejected_count, std::span<const bad_line>);

} // namespace ingest

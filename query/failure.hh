// Why a query ended without an answer.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include "base/error.hh"

namespace query {

enum class fault : uint8_t {
    refused,   // by the engine or by the request: see `why`
    over_time, // its budgets, each by name
    over_scan,
    over_memory,
    cancelled, // nobody waits for the answer any more
};

struct failure {
    fault what = fault::refused;
    base::error why; // of `refused`
};

template <class T>
using result = std::expected<T, failure>;

inline std::unexpected<failure> failed(base::error why) {
    return std::unexpected(failure{fault::refused, std::move(why)});
}
inline std::unexpected<failure> failed(fault what) {
    return std::unexpected(failure{what, {}});
}

// A table that is dropped while a query runs has no rows any more; everything else is an error.
inline std::expected<void, failure> unless_dropped(base::error why) {
    return why.code == base::errc::table_not_found ? std::expected<void, failure>() : failed(std::move(why));
}

} // namespace query

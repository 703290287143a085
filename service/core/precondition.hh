// If-Match: whether an operation cares which version of the entity is there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ticks.hh"
#include "service/core/operation.hh"
#include "service/core/service_error.hh"

namespace service {

struct precondition {
    enum class kind : uint8_t {
        none,  // no If-Match, or one that does not count
        any,   // *: some version must be there
        exact, // the version with this timestamp
    };
    kind what = kind::none;
    base::tick timestamp; // of `exact`; no_timestamp for an ETag that no entity can have

    bool operator==(const precondition&) const = default;
};

constexpr base::tick no_timestamp{-1};

// Headers count on replace, merge and delete only. InvalidInput: a delete without If-Match, If-None-Match, and anything but
// * or one weak ETag.
outcome<precondition> parse_precondition(operation, std::optional<std::string_view> if_match,
                                         std::optional<std::string_view> if_none_match);

} // namespace service

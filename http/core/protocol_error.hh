// What a peer did wrong, as a value: the status to answer with and a sentence for a person.
#pragma once

#include <expected>
#include <string_view>

namespace http {

struct protocol_error {
    unsigned status = 400;
    std::string_view reason; // outlives the reply; never bytes of the peer

    bool operator==(const protocol_error&) const = default;
};

template <class T>
using result = std::expected<T, protocol_error>;

inline std::unexpected<protocol_error> refuse(unsigned status, std::string_view reason) {
    return std::unexpected(protocol_error{status, reason});
}

} // namespace http

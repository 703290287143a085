// The members of one flat JSON object, as simdjson finds them: the one place that includes it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "service/core/service_error.hh"

namespace service {

enum class json_kind : uint8_t { null, boolean_true, boolean_false, integer, real, string };

struct json_member {
    std::string_view name; // unescaped
    json_kind kind;
    std::string_view text; // of a string, unescaped; of a number, its token
};

class json_member_reader {
public:
    json_member_reader();
    ~json_member_reader();

    // How many bytes `bytes` of read() must have behind the body.
    static size_t padding();

    // Reads the object in the first `size` bytes of `bytes`, which must have padding() more. Strings are unescaped where they
    // stand, so the views of the result are into `bytes`; the span itself is good until the next call.
    // InvalidInput: not one JSON object, or a nested value in it. TooManyProperties: over json_members_max members.
    outcome<std::span<json_member>> read(char* bytes, size_t size);

private:
    struct state;
    std::unique_ptr<state> _state;
    std::vector<json_member> _members;
};

} // namespace service

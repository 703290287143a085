// $select: which members of an entity a reply shows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace service {

class selection {
public:
    // Everything.
    selection() = default;
    // "a, b": those; blank, or with a * among the names: everything.
    explicit selection(std::string_view select);

    bool is_everything() const { return _is_everything; }
    // Keys and Timestamp are shown only when named.
    bool has_partition_key() const { return _is_everything || _has_partition_key; }
    bool has_row_key() const { return _is_everything || _has_row_key; }
    bool has_timestamp() const { return _is_everything || _has_timestamp; }
    // The other names, sorted, none twice; empty for everything.
    std::span<const std::string> names() const { return _names; }
    // As the client wrote it, for the metadata URL; empty when it was blank.
    std::string_view text() const { return _text; }

private:
    bool _is_everything = true;
    bool _has_partition_key = false;
    bool _has_row_key = false;
    bool _has_timestamp = false;
    std::vector<std::string> _names;
    std::string _text;
};

} // namespace service

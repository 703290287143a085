#include "service/core/selection.hh"

#include <algorithm>

#include "service/core/ascii.hh"

namespace service {

selection::selection(std::string_view select) {
    if (trimmed(select).empty()) {
        return;
    }
    _text = select;
    _is_everything = false;
    for (size_t at = 0; at <= select.size();) {
        const size_t comma = std::min(select.find(',', at), select.size());
        const auto name = trimmed(select.substr(at, comma - at));
        at = comma + 1;
        if (name == "PartitionKey") {
            _has_partition_key = true;
        } else if (name == "RowKey") {
            _has_row_key = true;
        } else if (name == "Timestamp") {
            _has_timestamp = true;
        } else if (name == "*") {
            _is_everything = true;
        } else if (!name.empty()) {
            _names.emplace_back(name);
        }
    }
    if (_is_everything) {
        _names.clear();
    }
    std::ranges::sort(_names);
    const auto repeated = std::ranges::unique(_names);
    _names.erase(repeated.begin(), repeated.end());
}

} // namespace service

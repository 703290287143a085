#include "blobs/replaced_names.hh"

#include <utility>

namespace blobs {

void replaced_names::add(std::string name, std::string by, int64_t now_ns) {
    while (!_order.empty()) {
        const auto oldest = _by_name.find(_order.front());
        if (oldest->second.until_ns > now_ns && _order.size() < replaced_names_max) {
            break;
        }
        _by_name.erase(oldest);
        _order.pop_front();
    }
    if (_by_name.try_emplace(name, std::move(by), now_ns + replaced_names_kept.count()).second) {
        _order.push_back(std::move(name));
    }
}

const std::string* replaced_names::find(std::string_view name, int64_t now_ns) const {
    const auto found = _by_name.find(name);
    return found == _by_name.end() || found->second.until_ns <= now_ns ? nullptr : &found->second.name;
}

} // namespace blobs

// The rows a live tail has sent, as far as it remembers, so that none is sent twice. Bounded: the first to come is forgotten
// first.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_set>

namespace query {

class recent_keys {
public:
    explicit recent_keys(size_t keys_max) : _keys_max(keys_max) {}

    // False when it was there already.
    bool insert(uint64_t hash) {
        if (!_known.insert(hash).second) {
            return false;
        }
        _in_order.push_back(hash);
        if (_in_order.size() > _keys_max) {
            _known.erase(_in_order.front());
            _in_order.pop_front();
        }
        return true;
    }
    size_t size() const { return _in_order.size(); }

private:
    size_t _keys_max;
    std::unordered_set<uint64_t> _known;
    std::deque<uint64_t> _in_order;
};

} // namespace query

// What a memtable must show, the slow way: every write kept, and each question answered by applying all of them in order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tables/core/resolve.hh"

namespace tables_test {

class memtable_model {
public:
    using key = std::pair<std::string, std::string>;
    using properties = std::map<std::string, int64_t>;

    struct write {
        uint64_t sequence;
        tables::row_kind kind;
        int64_t timestamp;
        properties values;
    };
    struct state {
        tables::row_kind kind;
        int64_t timestamp;
        properties values;

        bool operator==(const state&) const = default;
    };

    void insert(const key& k, write w) {
        // Behind all that are not newer: among equal sequences the later insert is the newer.
        auto& writes = _rows[k];
        auto at = writes.end();
        while (at != writes.begin() && std::prev(at)->sequence > w.sequence) {
            --at;
        }
        writes.insert(at, std::move(w));
    }

    // Nothing when the snapshot sees no write of it.
    static std::optional<state> seen(const std::vector<write>& writes, uint64_t snapshot) {
        std::optional<state> now;
        for (const auto& w : writes) {
            if (w.sequence > snapshot) {
                break;
            }
            if (!now || w.kind != tables::row_kind::merge) {
                now = state{w.kind, w.timestamp, w.values};
                continue;
            }
            if (now->kind == tables::row_kind::remove) {
                now->kind = tables::row_kind::put;
            }
            now->timestamp = w.timestamp;
            for (const auto& [name, value] : w.values) {
                now->values[name] = value;
            }
        }
        return now;
    }

    std::map<key, state> seen(uint64_t snapshot) const {
        std::map<key, state> all;
        for (const auto& [k, writes] : _rows) {
            if (auto now = seen(writes, snapshot)) {
                all.emplace(k, std::move(*now));
            }
        }
        return all;
    }

    const std::map<key, std::vector<write>>& rows() const { return _rows; }

private:
    std::map<key, std::vector<write>> _rows; // oldest first
};

} // namespace tables_test

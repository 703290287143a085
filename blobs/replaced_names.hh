// Names of blobs that were merged into others: who listed one before can still get its records for a while. Kept in memory only.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace blobs {

constexpr std::chrono::nanoseconds replaced_names_kept = std::chrono::hours(1);
constexpr size_t replaced_names_max = 100'000; // the oldest go first

class replaced_names {
public:
    // The records of `name` are in the blob `by` from now on.
    void add(std::string name, std::string by, int64_t now_ns);
    // What replaced it, which may have been replaced since. Null: nothing that is still known.
    const std::string* find(std::string_view name, int64_t now_ns) const;
    size_t size() const { return _by_name.size(); }

private:
    struct successor {
        std::string name;
        int64_t until_ns = 0;
    };

    std::map<std::string, successor, std::less<>> _by_name;
    std::deque<std::string> _order; // of the names, the oldest first
};

} // namespace blobs

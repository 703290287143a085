#include "tests/torture/stream_oracle.hh"

#include <fmt/format.h>

namespace torture {

uint64_t stream_oracle::begin_sending(uint64_t count) {
    const std::lock_guard lock(_mutex);
    const auto first = _owed.size();
    _owed.resize(first + count, false);
    return first;
}

void stream_oracle::acknowledged(uint64_t first, uint64_t count) {
    const std::lock_guard lock(_mutex);
    for (auto n = first; n < first + count; ++n) {
        _owed_count += !_owed[n];
        _owed[n] = true;
    }
}

uint64_t stream_oracle::sent_count() const {
    const std::lock_guard lock(_mutex);
    return _owed.size();
}

uint64_t stream_oracle::owed_count() const {
    const std::lock_guard lock(_mutex);
    return _owed_count;
}

std::vector<bool> stream_oracle::owed(uint64_t first, uint64_t end) const {
    const std::lock_guard lock(_mutex);
    return {_owed.begin() + static_cast<ptrdiff_t>(first), _owed.begin() + static_cast<ptrdiff_t>(end)};
}

// Told once: it is not owed any more.
void stream_oracle::forget(uint64_t n) {
    const std::lock_guard lock(_mutex);
    _owed[n] = false;
}

void stream_oracle::check(uint64_t first, uint64_t end, const std::vector<bool>& owed, std::span<const uint64_t> found,
                          const std::string& where) {
    const auto sent = sent_count();
    std::vector<bool> seen(end - first, false);
    for (const auto n : found) {
        if (n < first || n >= end || n >= sent) {
            _verdict.violated("P3", fmt::format("{}, {}: entry {} was not asked for, or never sent", where, _name, n));
        } else if (seen[n - first]) {
            _verdict.violated("P1", fmt::format("{}, {}: entry {} is there twice", where, _name, n));
        } else {
            seen[n - first] = true;
        }
    }
    uint64_t missing = 0, first_missing = 0;
    for (size_t i = 0; i < owed.size(); ++i) {
        if (owed[i] && !seen[i]) {
            first_missing = missing++ == 0 ? first + i : first_missing;
            forget(first + i);
        }
    }
    if (missing > 0) {
        _verdict.violated(
            "P1", fmt::format("{}, {}: {} acknowledged entries are missing, the first is {} (asked for {} to {}, found {})",
                              where, _name, missing, first_missing, first, end, found.size()));
    }
}

} // namespace torture

#include "compaction/core/policy.hh"

#include <algorithm>

namespace compaction {
namespace {

// Files [first, end) that may be merged.
size_t end_of_run(std::span<const file_fact> files, size_t first) {
    size_t end = first;
    while (end < files.size() && files[end].can_merge) {
        ++end;
    }
    return end;
}

std::optional<merge_choice> all_that_can(std::span<const file_fact> files) {
    for (size_t first = 0; first < files.size(); ++first) {
        if (const auto end = end_of_run(files, first); end - first >= 2) {
            return merge_choice{first, end - first};
        }
    }
    return std::nullopt;
}

// How many from `first` on are of like size.
size_t like_sized(std::span<const file_fact> files, size_t first, const policy& p) {
    uint64_t bytes = files[first].bytes;
    const auto run_end = end_of_run(files, first);
    size_t end = first + 1;
    while (end < run_end && files[end].bytes <= p.like_size * bytes / (end - first)) {
        bytes += files[end++].bytes;
    }
    return end - first;
}

// The handful of neighbours with the least to write.
std::optional<merge_choice> cheapest(std::span<const file_fact> files, size_t handful) {
    std::optional<merge_choice> best;
    uint64_t best_bytes = UINT64_MAX;
    for (size_t first = 0; first + handful <= files.size(); ++first) {
        const auto some = files.subspan(first, handful);
        uint64_t bytes = 0;
        std::ranges::for_each(some, [&](const file_fact& f) { bytes += f.bytes; });
        if (std::ranges::all_of(some, &file_fact::can_merge) && bytes < best_bytes) {
            best = merge_choice{first, handful};
            best_bytes = bytes;
        }
    }
    return best;
}

} // namespace

std::optional<merge_choice> choose(std::span<const file_fact> files, const policy& p, bool is_closed) {
    if (is_closed) {
        return all_that_can(files);
    }
    for (size_t first = 0; first < files.size(); ++first) {
        if (!files[first].can_merge) {
            continue;
        }
        if (const auto count = like_sized(files, first, p); count >= p.handful) {
            return merge_choice{first, count};
        }
    }
    return files.size() > p.files_max ? cheapest(files, p.handful) : std::nullopt;
}

} // namespace compaction

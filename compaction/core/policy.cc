#include "compaction/core/policy.hh"

#include <algorithm>

namespace compaction {
namespace {

uint64_t bytes_of(std::span<const file_fact> files) {
    uint64_t bytes = 0;
    std::ranges::for_each(files, [&](const file_fact& f) { bytes += f.bytes; });
    return bytes;
}

// Files of one place in the order have no row in common. One of them ends where a segment was full: merging them alone would
// write the same again, and again.
bool is_worth_merging(std::span<const file_fact> files) {
    return files.size() >= 2 && std::ranges::contains(files.subspan(1), true, &file_fact::can_begin);
}

// How many from `first` on are of like size.
size_t like_sized(std::span<const file_fact> files, size_t first, const policy& p) {
    uint64_t bytes = files[first].bytes;
    size_t end = first + 1;
    while (end < files.size() && files[end].bytes <= p.like_size * bytes / (end - first)) {
        bytes += files[end++].bytes;
    }
    return end - first;
}

// So many neighbours with the least to write.
std::optional<merge_choice> cheapest(std::span<const file_fact> files, size_t count) {
    std::optional<merge_choice> best;
    uint64_t best_bytes = UINT64_MAX;
    for (size_t first = 0; first + count <= files.size(); ++first) {
        const auto some = files.subspan(first, count);
        const auto bytes = bytes_of(some);
        if (files[first].can_begin && is_worth_merging(some) && bytes < best_bytes) {
            best = merge_choice{first, count};
            best_bytes = bytes;
        }
    }
    return best;
}

// All from the first that can begin; where that is too many at a time, the cheapest of them.
std::optional<merge_choice> all_that_can(std::span<const file_fact> files, const policy& p) {
    const auto first = static_cast<size_t>(std::ranges::find(files, true, &file_fact::can_begin) - files.begin());
    const auto rest = files.subspan(first);
    if (rest.size() > p.inputs_max) {
        const auto some = cheapest(rest, p.inputs_max);
        return some ? std::optional(merge_choice{first + some->first, some->count}) : std::nullopt;
    }
    return is_worth_merging(rest) ? std::optional(merge_choice{first, rest.size()}) : std::nullopt;
}

// The newest files that are late; what they lie over is one file at least.
size_t overlays_count(std::span<const file_fact> files) {
    const auto count = static_cast<size_t>(std::ranges::find(files, false, &file_fact::is_late) - files.begin());
    return std::min(count, files.size() - 1);
}

std::optional<merge_choice> choose_of_closed(std::span<const file_fact> files, const policy& p) {
    if (files.empty()) {
        return std::nullopt;
    }
    const auto count = overlays_count(files);
    const auto below = files.subspan(count);
    if (auto rest = all_that_can(below, p)) {
        // The last merge of what came in time; it takes the overlays along where it can.
        const bool takes_overlays = rest->first == 0 && count + rest->count <= p.inputs_max;
        return takes_overlays ? merge_choice{0, count + rest->count} : merge_choice{count + rest->first, rest->count};
    }
    const auto overlays = files.first(count);
    if (bytes_of(overlays) * 100 > bytes_of(below) * p.overlay_percent) {
        return all_that_can(files, p);
    }
    return count >= std::min(p.handful, p.inputs_max) ? all_that_can(overlays, p) : std::nullopt;
}

} // namespace

std::optional<merge_choice> choose(std::span<const file_fact> files, const policy& p, bool is_closed) {
    if (is_closed) {
        return choose_of_closed(files, p);
    }
    for (size_t first = 0; first < files.size(); ++first) {
        if (!files[first].can_begin) {
            continue;
        }
        const auto like = like_sized(files, first, p);
        const auto count = std::min(like, p.inputs_max);
        if (like >= p.handful && is_worth_merging(files.subspan(first, count))) {
            return merge_choice{first, count};
        }
    }
    // Those that share their place are no more to search than one.
    const auto places_count = static_cast<size_t>(std::ranges::count(files, true, &file_fact::can_begin));
    return places_count > p.files_max ? cheapest(files, std::min(p.handful, p.inputs_max)) : std::nullopt;
}

} // namespace compaction

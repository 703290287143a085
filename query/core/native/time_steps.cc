#include "query/core/native/time_steps.hh"

#include <algorithm>

namespace query {
namespace {

// Of the time that family tables span: what the first step of an ascending search takes, and never less than so many ns.
constexpr int64_t first_step_share = 1024;
constexpr int64_t first_step_ns_min = 1'000'000;

std::vector<time_range> steps_back(const std::vector<time_range>& periods, time_range range) {
    std::vector<int64_t> starts;
    for (const auto& p : periods) {
        if (p.start_ns > range.start_ns && p.start_ns < range.end_ns) {
            starts.push_back(p.start_ns);
        }
    }
    std::ranges::sort(starts, std::greater());
    starts.erase(std::ranges::unique(starts).begin(), starts.end());
    std::vector<time_range> steps;
    int64_t end = range.end_ns;
    for (size_t at = 0, count = 1; at + count <= starts.size(); at += count, count *= 2) {
        const int64_t start = starts[at + count - 1];
        steps.push_back({start, end});
        end = start;
    }
    steps.push_back({range.start_ns, end});
    return steps;
}

std::vector<time_range> steps_ahead(const std::vector<time_range>& periods, time_range range) {
    if (periods.empty()) {
        return {range};
    }
    const int64_t first = std::max(range.start_ns, std::ranges::min(periods, {}, &time_range::start_ns).start_ns);
    const int64_t last = std::min(range.end_ns, std::ranges::max(periods, {}, &time_range::end_ns).end_ns);
    std::vector<time_range> steps;
    int64_t start = range.start_ns;
    // Wider than the times themselves, since the times of all rows span almost all of 64 bits.
    __int128 width = std::max<__int128>((static_cast<__int128>(last) - first) / first_step_share, first_step_ns_min);
    for (__int128 end = first; end + width < last; width *= 2) {
        end += width;
        steps.push_back({start, static_cast<int64_t>(end)});
        start = static_cast<int64_t>(end);
    }
    steps.push_back({start, range.end_ns});
    return steps;
}

} // namespace

std::vector<time_range> time_steps(const plan& p, time_range range) {
    std::vector<time_range> periods;
    for (const auto& part : p.parts) {
        if (p.origin_of(part).kind == origin_kind::family) {
            periods.push_back(part.covers);
        }
    }
    return p.asked.order == order_kind::descending ? steps_back(periods, range) : steps_ahead(periods, range);
}

} // namespace query

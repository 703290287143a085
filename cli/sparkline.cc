#include "cli/sparkline.hh"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

namespace cli {

std::string sparkline(std::span<const double> values, size_t width) {
    static constexpr std::string_view bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    if (values.size() < 2 || width == 0) {
        return {};
    }
    const size_t count = std::min(width, values.size());
    std::vector<double> means;
    for (size_t i = 0; i < count; ++i) {
        const auto share = values.subspan(i * values.size() / count, (i + 1) * values.size() / count - i * values.size() / count);
        means.push_back(std::accumulate(share.begin(), share.end(), 0.0) / static_cast<double>(share.size()));
    }
    const auto [least, greatest] = std::ranges::minmax(means);
    std::string line;
    for (double mean : means) {
        const double height = greatest > least ? (mean - least) / (greatest - least) : 0.5;
        line += bars[std::min<size_t>(static_cast<size_t>(height * std::size(bars)), std::size(bars) - 1)];
    }
    return line;
}

} // namespace cli

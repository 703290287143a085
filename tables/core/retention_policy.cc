#include "tables/core/retention_policy.hh"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace tables {
namespace {

constexpr std::string_view attribute_prefix = "retention/";

struct unit {
    char letter;
    int64_t ticks;
};
constexpr int64_t second = base::ticks_per_second;
constexpr std::array units{unit{'w', 7 * 86'400 * second}, unit{'d', 86'400 * second}, unit{'h', 3'600 * second},
                           unit{'m', 60 * second}, unit{'s', second}};

std::unexpected<base::error> bad_policy(std::string_view what) {
    return base::fail(base::errc::invalid_argument, fmt::format("a retention policy cannot have {}", what));
}

template <class Number>
std::optional<Number> parse_number(std::string_view digits) {
    Number n{};
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    return status == std::errc() && end == digits.data() + digits.size() && !digits.empty() ? std::optional(n) : std::nullopt;
}

} // namespace

std::optional<int64_t> parse_length(std::string_view text) {
    const auto found = std::ranges::find(units, text.empty() ? '\0' : text.back(), &unit::letter);
    if (found == units.end()) {
        return std::nullopt;
    }
    const auto count = parse_number<int64_t>(text.substr(0, text.size() - 1));
    if (!count || *count <= 0 || *count > base::tick_max.value / found->ticks) {
        return std::nullopt;
    }
    return *count * found->ticks;
}

std::string length_text(int64_t ticks) {
    const auto fits = std::ranges::find_if(units, [&](const unit& u) { return ticks % u.ticks == 0; });
    return fits == units.end() ? fmt::format("{}s", ticks / second) : fmt::format("{}{}", ticks / fits->ticks, fits->letter);
}

std::string encode(const retention_policy& p) {
    return fmt::format("period={} keep={} max_bytes={}", p.period ? period_text(*p.period) : "",
                       p.keep_ticks > 0 ? length_text(p.keep_ticks) : "", p.max_bytes);
}

base::expected<retention_policy> decode_policy(std::string name, std::string_view text) {
    retention_policy policy{.name = std::move(name)};
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const auto key = word.substr(0, word.find('='));
        const auto value = word.substr(std::min(word.size(), key.size() + 1));
        if (value.empty()) {
            continue;
        }
        if (key == "period" && (policy.period = parse_period(value))) {
            continue;
        }
        const auto length = key == "keep" ? parse_length(value) : std::nullopt;
        const auto bytes = key == "max_bytes" ? parse_number<uint64_t>(value) : std::nullopt;
        if (!length && !bytes) {
            return bad_policy(word);
        }
        policy.keep_ticks = length.value_or(policy.keep_ticks);
        policy.max_bytes = bytes.value_or(policy.max_bytes);
    }
    return policy;
}

retention_policy find_retention(const catalog_state& catalog, std::string_view account, std::string_view name) {
    const auto text = catalog.attribute(base::table_id{}, account, std::string(attribute_prefix) + std::string(name));
    return decode_policy(std::string(name), text).value_or(retention_policy{.name = std::string(name)});
}

std::vector<retention_policy> all_retention(const catalog_state& catalog, std::string_view account) {
    std::vector<retention_policy> all;
    for (const auto& [name, text] : catalog.attributes(account, attribute_prefix)) {
        if (auto policy = decode_policy(name, text)) {
            all.push_back(std::move(*policy));
        }
    }
    return all;
}

attribute_edit retention_edit(std::string account, const retention_policy& policy) {
    const bool is_empty = !policy.period && policy.keep_ticks == 0 && policy.max_bytes == 0;
    return {base::table_id{}, std::move(account), std::string(attribute_prefix) + policy.name,
            is_empty ? std::string() : encode(policy)};
}

} // namespace tables

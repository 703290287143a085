#include "service/core/request_options.hh"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ticks.hh"
#include "service/core/limits.hh"
#include "tables/core/unicode.hh"

namespace service {
namespace {

constexpr std::array<std::string_view, 4> known_options{"$filter", "$select", "$top", "$format"};
constexpr std::array<std::string_view, 6> unsupported_options{"$orderby", "$skip", "$count", "$inlinecount", "$expand", "$apply"};
constexpr std::string_view oldest_version = "2009-04-14";

// Digits only.
std::optional<unsigned> parse_count(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

outcome<void> check_option_names(const http::query_string& query) {
    for (const auto& parameter : query.all()) {
        if (!parameter.name.starts_with('$') || std::ranges::contains(known_options, parameter.name)) {
            continue;
        }
        const bool is_unsupported = std::ranges::contains(unsupported_options, parameter.name);
        return refuse(is_unsupported ? service_code::not_implemented : service_code::invalid_input);
    }
    return {};
}

outcome<unsigned> parse_top(std::optional<std::string_view> text) {
    if (!text) {
        return page_rows_max;
    }
    const auto top = parse_count(*text);
    return top && *top <= page_rows_max ? outcome<unsigned>(*top) : refuse(service_code::invalid_input);
}

outcome<std::optional<std::string>> parse_next_table(std::optional<std::string_view> token) {
    if (!token || token->empty()) {
        return std::nullopt;
    }
    return parse_token(*token).transform([](std::string&& name) { return std::optional(std::move(name)); });
}

} // namespace

outcome<query_options> parse_query_options(const http::query_string& query) {
    if (auto checked = check_option_names(query); !checked) {
        return std::unexpected(checked.error());
    }
    const auto top = parse_top(query.get("$top"));
    if (!top) {
        return std::unexpected(top.error());
    }
    auto next = parse_entity_position(query.get("NextPartitionKey"), query.get("NextRowKey"));
    if (!next) {
        return std::unexpected(next.error());
    }
    auto next_table = parse_next_table(query.get("NextTableName"));
    if (!next_table) {
        return std::unexpected(next_table.error());
    }
    const auto select = query.get("$select").value_or("");
    if (!tables::is_utf8(select)) { // replies repeat it
        return refuse(service_code::invalid_input);
    }
    return query_options{.filter = std::string(query.get("$filter").value_or("")),
                         .select = selection(select),
                         .rows_max = *top,
                         .next = *std::move(next),
                         .next_table = *std::move(next_table)};
}

outcome<unsigned> parse_timeout_seconds(const http::query_string& query) {
    const auto text = query.get("timeout");
    if (!text) {
        return timeout_seconds_max;
    }
    const bool is_digits = !text->empty() && text->find_first_not_of("0123456789") == std::string_view::npos;
    const auto seconds = parse_count(*text);
    if (!is_digits || seconds == 0u) {
        return refuse(service_code::invalid_query_parameter_value);
    }
    // More digits than a number here can have is still just a long time.
    return std::min(seconds.value_or(timeout_seconds_max), timeout_seconds_max);
}

outcome<void> check_version(std::optional<std::string_view> version) {
    constexpr size_t date_characters = 10;
    if (version && (version->size() != date_characters || !base::parse_time(*version) || *version < oldest_version)) {
        return refuse(service_code::invalid_header_value);
    }
    return {};
}

bool is_echoed(std::string_view client_request_id) {
    return client_request_id.size() <= client_request_id_bytes_max &&
           std::ranges::all_of(client_request_id, [](char c) { return c > ' ' && c < 0x7f; });
}

} // namespace service

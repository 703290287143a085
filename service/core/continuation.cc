#include "service/core/continuation.hh"

#include <charconv>

#include "service/core/base64.hh"
#include "tables/core/key.hh"

namespace service {
namespace {

constexpr base64_alphabet token_alphabet{.plus = '*', .slash = '_', .padding = '-'};
constexpr std::string_view token_head = "1!";

} // namespace

std::string to_token(std::string_view key) {
    return text_of([key](text_sink& out) {
        out.put(token_head);
        out.put_number(base64_length(key.size()));
        out.put('!');
        put_base64(out, key, token_alphabet);
    });
}

outcome<std::string> parse_token(std::string_view token) {
    if (!token.starts_with(token_head)) {
        return refuse(service_code::invalid_input);
    }
    token.remove_prefix(token_head.size());
    size_t length = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), length);
    token.remove_prefix(static_cast<size_t>(end - token.data()));
    if (error != std::errc{} || !token.starts_with('!') || token.size() - 1 != length) {
        return refuse(service_code::invalid_input);
    }
    auto key = decode_base64(token.substr(1), token_alphabet);
    if (!key || !tables::check_key(*key)) {
        return refuse(service_code::invalid_input);
    }
    return *std::move(key);
}

outcome<std::optional<entity_position>> parse_entity_position(std::optional<std::string_view> next_partition_key,
                                                              std::optional<std::string_view> next_row_key) {
    const auto partition_token = next_partition_key.value_or("");
    const auto row_token = next_row_key.value_or("");
    if (partition_token.empty()) {
        if (!row_token.empty()) {
            return refuse(service_code::invalid_input);
        }
        return std::nullopt;
    }
    auto partition_key = parse_token(partition_token);
    if (!partition_key) {
        return std::unexpected(partition_key.error());
    }
    entity_position position{.partition_key = *std::move(partition_key), .row_key = std::nullopt};
    if (!row_token.empty()) {
        auto row_key = parse_token(row_token);
        if (!row_key) {
            return std::unexpected(row_key.error());
        }
        position.row_key = *std::move(row_key);
    }
    return position;
}

} // namespace service

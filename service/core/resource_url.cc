#include "service/core/resource_url.hh"

#include <algorithm>

#include "http/core/percent.hh"
#include "tables/core/key.hh"
#include "tables/core/unicode.hh"

namespace service {
namespace {

std::unexpected<service_error> syntax_error() {
    return refuse(service_code::invalid_input, "Bad Request - Error in query syntax.");
}

bool skip(std::string_view& text, std::string_view expected) {
    if (!text.starts_with(expected)) {
        return false;
    }
    text.remove_prefix(expected.size());
    return true;
}

// 'a''b' off the front, as a'b.
std::optional<std::string> take_literal(std::string_view& text) {
    if (!skip(text, "'")) {
        return std::nullopt;
    }
    std::string literal;
    for (;;) {
        const size_t quote = text.find('\'');
        if (quote == std::string_view::npos) {
            return std::nullopt;
        }
        literal.append(text.substr(0, quote));
        text.remove_prefix(quote + 1);
        if (!skip(text, "'")) {
            return literal;
        }
        literal.push_back('\'');
    }
}

// A slash or backslash in a key is refused as a syntax error, other forbidden characters as out of range.
outcome<void> check_url_key(std::string_view key) {
    if (key.find_first_of("/\\") != std::string_view::npos) {
        return syntax_error();
    }
    if (auto checked = tables::check_key(key); !checked) {
        return std::unexpected(to_service_error(checked.error()));
    }
    return {};
}

// The text between the parentheses: both keys, in either order, and nothing else.
outcome<resource> parse_entity(std::string_view table, std::string_view arguments) {
    std::optional<std::string> partition_key;
    std::optional<std::string> row_key;
    for (int i = 0; i < 2; ++i) {
        if (i == 1) {
            if (!skip(arguments, ",")) {
                return syntax_error();
            }
            arguments.remove_prefix(std::min(arguments.find_first_not_of(' '), arguments.size()));
        }
        auto& key = arguments.starts_with('P') ? partition_key : row_key;
        if (key || !(skip(arguments, "PartitionKey=") || skip(arguments, "RowKey="))) {
            return syntax_error();
        }
        key = take_literal(arguments);
        if (!key) {
            return syntax_error();
        }
    }
    if (!arguments.empty()) {
        return syntax_error();
    }
    for (const auto* key : {&*partition_key, &*row_key}) {
        if (auto checked = check_url_key(*key); !checked) {
            return std::unexpected(checked.error());
        }
    }
    return entity_resource{std::string(table), *std::move(partition_key), *std::move(row_key)};
}

outcome<resource> parse_table(std::string_view arguments) {
    auto name = take_literal(arguments);
    if (!name || !arguments.empty()) {
        return syntax_error();
    }
    return table_resource{*std::move(name)};
}

outcome<resource> parse_root(std::optional<std::string_view> restype, std::optional<std::string_view> comp) {
    if (!restype || !comp) {
        return refuse(service_code::missing_required_query_parameter);
    }
    if (restype == "service" && comp == "properties") {
        return properties_resource{};
    }
    if (restype == "service" && comp == "stats") {
        return stats_resource{};
    }
    return refuse(service_code::invalid_query_parameter_value);
}

// One decoded, non-empty segment, whatever the query says.
outcome<resource> parse_segment(std::string_view segment) {
    if (segment == "$batch") {
        return batch_resource{};
    }
    if (segment == "$metadata") {
        return refuse(service_code::not_implemented);
    }
    const size_t open = segment.find('(');
    const auto name = segment.substr(0, open);
    std::string_view arguments;
    if (open != std::string_view::npos) {
        if (!segment.ends_with(')') || name.empty()) {
            return syntax_error();
        }
        arguments = segment.substr(open + 1, segment.size() - open - 2);
    }
    if (name == "Tables") {
        return arguments.empty() ? resource(table_set_resource{}) : parse_table(arguments);
    }
    return arguments.empty() ? resource(entity_set_resource{std::string(name)}) : parse_entity(name, arguments);
}

// comp=acl turns an entity set into its access policies; no other resource here has a comp.
outcome<resource> apply_comp(resource parsed, std::optional<std::string_view> comp) {
    if (!comp) {
        return parsed;
    }
    auto* set = std::get_if<entity_set_resource>(&parsed);
    if (!set || comp != "acl") {
        return refuse(service_code::invalid_query_parameter_value);
    }
    return acl_resource{std::move(set->table)};
}

} // namespace

outcome<resource> parse_resource(std::string_view raw_path, std::optional<std::string_view> restype,
                                 std::optional<std::string_view> comp) {
    skip(raw_path, "/");
    if (raw_path.ends_with('/')) {
        raw_path.remove_suffix(1);
    }
    if (raw_path.contains('/')) {
        return refuse(service_code::invalid_uri);
    }
    const auto segment = http::percent_decode(raw_path);
    if (!segment) {
        return refuse(service_code::request_url_failed_to_parse);
    }
    if (!tables::is_utf8(*segment)) {
        return refuse(service_code::invalid_input);
    }
    if (segment->empty()) {
        return parse_root(restype, comp);
    }
    return parse_segment(*segment).and_then([comp](resource&& parsed) { return apply_comp(std::move(parsed), comp); });
}

namespace {

// The quote stays as it is and ( ) ! * with it, as in the URLs of the production service.
bool stays_in_url(char c) {
    const char lower = static_cast<char>(c | 0x20);
    return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z') || std::string_view("-._~!*()").contains(c);
}

void put_literal(text_sink& out, std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    out.put('\'');
    for (const char c : text) {
        if (c == '\'') {
            out.put("''");
        } else if (stays_in_url(c)) {
            out.put(c);
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out.put('%');
            out.put(digits[byte >> 4]);
            out.put(digits[byte & 15]);
        }
    }
    out.put('\'');
}

} // namespace

void put_entity_path(text_sink& out, std::string_view table, std::string_view partition_key, std::string_view row_key) {
    out.put(table);
    out.put("(PartitionKey=");
    put_literal(out, partition_key);
    out.put(",RowKey=");
    put_literal(out, row_key);
    out.put(')');
}

void put_table_path(text_sink& out, std::string_view table) {
    out.put("Tables(");
    put_literal(out, table);
    out.put(')');
}

} // namespace service

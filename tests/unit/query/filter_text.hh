// A filter printed back as text that parses to the same filter, every group in parentheses.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "query/core/filter_ast.hh"
#include "query/core/filter_lexer.hh"

namespace query_test {

inline std::string quoted(std::string_view text, char quote) {
    std::string out(1, quote);
    for (const char c : text) {
        out.append(c == quote ? 2 : 1, c);
    }
    return out + quote;
}

inline std::string hex(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
    return out;
}

inline std::string guid_text(const tables::guid& g) {
    auto digits = hex({reinterpret_cast<const char*>(g.bytes.data()), g.bytes.size()});
    for (size_t at : {8, 13, 18, 23}) {
        digits.insert(at, "-");
    }
    return digits;
}

inline std::string real_text(double v) {
    if (std::isnan(v)) {
        return "NaN";
    }
    return std::isinf(v) ? (v < 0 ? "-INF" : "INF") : fmt::format("{}d", v);
}

inline std::string literal_text(const tables::value& v) {
    switch (v.type()) {
    case tables::value_type::string: return quoted(v.as_string(), '\'');
    case tables::value_type::int32: return fmt::format("{}", v.as_int32());
    case tables::value_type::int64: return fmt::format("{}L", v.as_int64());
    case tables::value_type::real: return real_text(v.as_real());
    case tables::value_type::boolean: return v.as_boolean() ? "true" : "false";
    case tables::value_type::datetime: return fmt::format("datetime'{}'", base::to_text(v.as_datetime()));
    case tables::value_type::guid: return fmt::format("guid'{}'", guid_text(v.as_guid()));
    case tables::value_type::binary: return fmt::format("X'{}'", hex(v.as_binary()));
    }
    return {};
}

// In quotes wherever the bare word would not be this name: `true`, `tag.x`, `a b`. $filter has bare words only.
inline std::string subject_text(const query::subject& s, query::dialect d) {
    if (d == query::dialect::table_service) {
        return s.name;
    }
    static const std::set<std::string, std::less<>> keywords{"not", "null", "true", "false", "NaN", "INF"};
    const std::string scope = s.scope == query::name_scope::tag ? "tag." : s.scope == query::name_scope::field ? "field." : "";
    const bool is_word = std::ranges::all_of(s.name, [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
    std::string lower = s.name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool is_plain = is_word && !keywords.contains(s.name) && !keywords.contains(lower);
    return scope + (is_plain ? s.name : quoted(s.name, '"'));
}

inline std::string condition_text(const query::filter& f, const query::node& n, query::dialect d) {
    constexpr const char* operators[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    switch (n.kind) {
    case query::node_kind::constant: return n.literal != 0 ? "true" : "false";
    case query::node_kind::holds: return subject_text(f.subject_of(n), d);
    case query::node_kind::compare:
        return fmt::format("{} {} {}", subject_text(f.subject_of(n), d), operators[static_cast<int>(n.op)],
                           literal_text(f.literal_of(n).value()));
    default: break;
    }
    const char* function = n.kind == query::node_kind::contains      ? "contains"
                           : n.kind == query::node_kind::starts_with ? "startswith"
                           : n.kind == query::node_kind::ends_with   ? "endswith"
                                                                     : "matchesPattern";
    return fmt::format("{}({},{})", function, subject_text(f.subject_of(n), d), literal_text(f.literal_of(n).value()));
}

inline std::string filter_text(const query::filter& f, query::dialect d = query::dialect::native) {
    std::vector<std::string> stack;
    for (const auto& n : f.postfix()) {
        if (query::is_condition(n.kind)) {
            stack.push_back(condition_text(f, n, d));
        } else if (n.kind == query::node_kind::negation) {
            stack.back() = "not " + stack.back();
        } else {
            const auto first = stack.end() - n.operands_count;
            stack.push_back(
                fmt::format("({})", fmt::join(first, stack.end(), n.kind == query::node_kind::conjunction ? " and " : " or ")));
            stack.erase(stack.end() - 1 - n.operands_count, stack.end() - 1);
        }
    }
    return stack.empty() ? "" : stack.back();
}

} // namespace query_test

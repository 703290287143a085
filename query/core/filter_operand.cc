#include "query/core/filter_operand.hh"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/level.hh"
#include "query/core/filter_literal.hh"
#include "query/core/time_text.hh"

namespace query {
namespace {

using tables::value;
using tables::value_type;

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a | 0x20 : a) == b; });
}

// Words that are values; `null` is not among them, since nothing compares with it.
std::optional<literal> word_literal(std::string_view word) {
    if (word == "NaN") {
        return literal(value::of_real(std::numeric_limits<double>::quiet_NaN()));
    }
    if (word == "INF") {
        return literal(value::of_real(std::numeric_limits<double>::infinity()));
    }
    const bool is_true = equals_ignoring_case(word, "true");
    return is_true || equals_ignoring_case(word, "false") ? std::optional(literal(value::of_boolean(is_true))) : std::nullopt;
}

bool skip_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) {
        return false;
    }
    text.remove_prefix(prefix.size());
    return true;
}

std::optional<subject> read_name(const token& t, dialect d) {
    subject s;
    auto text = t.text;
    if (d == dialect::native && skip_prefix(text, "tag.")) {
        s.scope = name_scope::tag;
    } else if (d == dialect::native && skip_prefix(text, "field.")) {
        s.scope = name_scope::field;
    }
    s.name = t.kind == token_kind::quoted_name ? unquote(text, '"') : std::string(text);
    return s.name.empty() ? std::nullopt : std::optional(std::move(s));
}

std::optional<int64_t> time_ns(const operand& o, int64_t now_ns) {
    const bool is_long =
        o.constant && o.constant->type() == value_type::int64 && o.where.text.find_first_of("lL") != std::string_view::npos;
    if (is_long) {
        return o.constant->value().as_int64();
    }
    switch (o.where.kind) {
    case token_kind::string: return parse_time_ns(o.constant->value().as_string(), now_ns);
    case token_kind::datetime: return o.constant ? parse_time_ns(quoted_body(o.where), now_ns) : std::nullopt;
    default: return parse_time_ns(o.where.text, now_ns); // a number, `now`, or what is not a number: -15m
    }
}

} // namespace

std::optional<operand> read_operand(const token& t, dialect d) {
    operand o{.where = t};
    switch (t.kind) {
    case token_kind::string:
    case token_kind::datetime:
    case token_kind::guid:
    case token_kind::binary:
    case token_kind::number: o.constant = read_literal(t); return o;
    case token_kind::word:
        o.constant = word_literal(t.text);
        if (o.constant || o.is_null()) {
            return o;
        }
        [[fallthrough]];
    case token_kind::quoted_name: o.name = read_name(t, d); return o.name ? std::optional(std::move(o)) : std::nullopt;
    default: return std::nullopt;
    }
}

std::expected<literal, std::string> read_time(const operand& o, int64_t now_ns) {
    if (const auto ns = time_ns(o, now_ns)) {
        return literal(value::of_int64(*ns));
    }
    return std::unexpected(fmt::format("{} is not a time: RFC 3339, Unix time, or relative as in '-15m'.", o.where.text));
}

std::expected<literal, std::string> read_level(const literal& l) {
    if (l.type() != value_type::string) {
        return l;
    }
    if (const auto severity = base::parse_level(l.value().as_string())) {
        return literal(value::of_int32(*severity));
    }
    return std::unexpected(fmt::format("'{}' is not a level: emerg, alert, crit, error, warning, notice, info, debug. "
                                       "A tag or field of that name is tag.level or field.level.",
                                       l.value().as_string()));
}

} // namespace query

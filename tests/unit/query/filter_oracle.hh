// The meaning of a filter, told a second time and as plainly as it goes: by recursion, with no table and no jumps, strings
// compared as UTF-16.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include <re2/re2.h>

#include "query/core/filter_ast.hh"
#include "tables/core/row.hh"
#include "tables/core/unicode.hh"

namespace query_test {

inline std::u16string utf16(std::string_view text) {
    std::u16string out;
    while (!text.empty()) {
        const char32_t c = *tables::take_character(text);
        if (c >= 0x10000) {
            out += static_cast<char16_t>(0xd800 + ((c - 0x10000) >> 10));
            out += static_cast<char16_t>(0xdc00 + ((c - 0x10000) & 0x3ff));
        } else {
            out += static_cast<char16_t>(c);
        }
    }
    return out;
}

template <class T>
bool compares(const T& a, query::comparison op, const T& b) {
    switch (op) {
    case query::comparison::eq: return a == b;
    case query::comparison::ne: return a != b;
    case query::comparison::lt: return a < b;
    case query::comparison::le: return a <= b;
    case query::comparison::gt: return a > b;
    case query::comparison::ge: return a >= b;
    }
    return false;
}

inline bool compares(const tables::value& stored, query::comparison op, const tables::value& literal) {
    using enum tables::value_type;
    const auto s = stored.type();
    const auto l = literal.type();
    if (s == string && l == string) {
        return compares(utf16(stored.as_string()), op, utf16(literal.as_string()));
    }
    if (s == int32 && l == int32) {
        return compares(stored.as_int32(), op, literal.as_int32());
    }
    if (s == int64 && l == int64) {
        return compares(stored.as_int64(), op, literal.as_int64());
    }
    if (s == int64 && l == int32) {
        return compares<int64_t>(stored.as_int64(), op, literal.as_int32());
    }
    if (s == real && l == real) {
        return compares(stored.as_real(), op, literal.as_real());
    }
    if (s == real && l == int32) {
        return compares<double>(stored.as_real(), op, literal.as_int32());
    }
    if (s == real && l == int64) {
        return compares<double>(stored.as_real(), op, static_cast<double>(literal.as_int64()));
    }
    if (s == boolean && l == boolean) {
        return compares(stored.as_boolean(), op, literal.as_boolean());
    }
    if (s == datetime && l == datetime) {
        return compares(stored.as_datetime().value, op, literal.as_datetime().value);
    }
    if (s == guid && l == guid) {
        return compares(stored.as_guid().bytes, op, literal.as_guid().bytes);
    }
    if (s == binary && l == binary) {
        return compares(stored.as_binary(), op, literal.as_binary());
    }
    return op == query::comparison::ne || op == query::comparison::lt || op == query::comparison::le;
}

// As numbers, whatever their types; long doubles hold all of them.
inline bool compares_numbers(const tables::value& stored, query::comparison op, const tables::value& literal) {
    static_assert(std::numeric_limits<long double>::digits >= 64);
    // No conditional: its arms would meet in a double.
    const auto number = [](const tables::value& v) -> long double {
        if (v.type() == tables::value_type::int64) {
            return v.as_int64();
        }
        return v.type() == tables::value_type::int32 ? v.as_int32() : v.as_real();
    };
    return compares(number(stored), op, number(literal));
}

inline bool is_number(const tables::value& v) {
    using enum tables::value_type;
    return v.type() == int32 || v.type() == int64 || v.type() == real;
}

// Compiling is slow, and the same few patterns come again and again.
inline const re2::RE2& compiled(std::string_view pattern) {
    static std::map<std::string, re2::RE2, std::less<>> known;
    const auto at = known.find(pattern);
    return at != known.end() ? at->second : known.try_emplace(std::string(pattern), pattern).first->second;
}

inline bool tests_text(query::node_kind kind, std::string_view text, std::string_view argument) {
    switch (kind) {
    case query::node_kind::contains: return text.find(argument) != std::string_view::npos;
    case query::node_kind::starts_with: return text.substr(0, argument.size()) == argument;
    case query::node_kind::ends_with:
        return text.size() >= argument.size() && text.substr(text.size() - argument.size()) == argument;
    default: return re2::RE2::PartialMatch(text, compiled(argument));
    }
}

class oracle {
public:
    using lookup = std::function<std::optional<tables::value>(const query::subject&)>;

    oracle(const query::filter& f, lookup find) : _filter(f), _find(std::move(find)) {}

    bool matches() {
        size_t end = _filter.postfix().size();
        return end == 0 || holds(end);
    }

private:
    // The subtree that ends before `end`, which is moved to where it begins.
    bool holds(size_t& end) {
        const auto& n = _filter.postfix()[--end];
        bool result = n.kind == query::node_kind::conjunction;
        switch (n.kind) {
        case query::node_kind::negation: return !holds(end);
        case query::node_kind::conjunction:
        case query::node_kind::disjunction:
            for (size_t i = 0; i < n.operands_count; ++i) {
                const bool operand = holds(end);
                result = n.kind == query::node_kind::conjunction ? result && operand : result || operand;
            }
            return result;
        case query::node_kind::constant: return n.literal != 0;
        default: return condition_holds(n);
        }
    }

    bool condition_holds(const query::node& n) {
        const auto stored = _find(_filter.subject_of(n));
        if (!stored) {
            return false;
        }
        if (n.kind == query::node_kind::holds) {
            return stored->type() == tables::value_type::boolean && stored->as_boolean();
        }
        const auto literal = _filter.literal_of(n).value();
        if (n.kind == query::node_kind::compare) {
            const bool is_by_value =
                _filter.numbers() == query::number_rule::by_value && is_number(*stored) && is_number(literal);
            return is_by_value ? compares_numbers(*stored, n.op, literal) : compares(*stored, n.op, literal);
        }
        return stored->type() == tables::value_type::string && tests_text(n.kind, stored->as_string(), literal.as_string());
    }

    const query::filter& _filter;
    lookup _find;
};

inline std::optional<tables::value> value_of(const tables::entity_view& e, const query::subject& s) {
    const bool is_plain = s.scope == query::name_scope::any;
    if (s.scope == query::name_scope::tag) {
        return std::nullopt;
    }
    if (is_plain && s.name == "PartitionKey") {
        return tables::value::of_string(e.partition_key);
    }
    if (is_plain && s.name == "RowKey") {
        return tables::value::of_string(e.row_key);
    }
    if (is_plain && s.name == "Timestamp") {
        return tables::value::of_datetime(e.timestamp);
    }
    return e.properties.find(s.name);
}

inline bool oracle_matches(const query::filter& f, const tables::entity_view& e) {
    return oracle(f, [&e](const query::subject& s) { return value_of(e, s); }).matches();
}

} // namespace query_test

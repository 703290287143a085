// Random filters and random entities that have something to say to each other: few names, few values, all types, and the
// values where orders differ.
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "query/core/filter_ast.hh"
#include "query/core/filter_lexer.hh"
#include "tests/unit/query/test_entity.hh"

namespace query_test {

using random_bits = std::mt19937_64;

template <class T, size_t N>
const T& pick(random_bits& random, const T (&from)[N]) {
    return from[random() % N];
}

inline std::string_view random_text(random_bits& random) {
    static constexpr std::string_view texts[] = {"",  "a",  "b",      "B",          "aa",         "ab",     "abc", "O'Neil",
                                                 "é", "zz", "\uE000", "\U00010000", "\U0001F600", "\uFFFF", "5",   "a\uE000"};
    return pick(random, texts);
}

inline tables::value random_value(random_bits& random) {
    using tables::value;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    static const double reals[] = {0.0,
                                   -0.0,
                                   1.5,
                                   5.0,
                                   -1.0,
                                   1e300,
                                   9007199254740992.0,
                                   9223372036854775808.0,
                                   -9223372036854775808.0,
                                   infinity,
                                   -infinity,
                                   std::numeric_limits<double>::quiet_NaN()};
    static const int32_t integers[] = {0, 1, -1, 5, 6, INT32_MAX, INT32_MIN};
    static const int64_t longs[] = {
        0, 1, -1, 5, 6, INT64_MAX, INT64_MIN, INT64_MAX - 1, int64_t{1} << 53, (int64_t{1} << 53) + 1};
    static const int64_t ticks[] = {0, 1, base::unix_epoch.value, base::unix_epoch.value + 1, base::tick_max.value};
    static const std::string_view bytes[] = {"", std::string_view("\0", 1), "a", "ab", "\xff", "\x7f"};
    tables::guid g;
    g.bytes[random() % 16] = static_cast<uint8_t>(random() % 3 * 127);
    switch (random() % 8) {
    case 0: return value::of_string(random_text(random));
    case 1: return value::of_int32(pick(random, integers));
    case 2: return value::of_int64(pick(random, longs));
    case 3: return value::of_real(pick(random, reals));
    case 4: return value::of_boolean(random() % 2 == 0);
    case 5: return value::of_datetime(base::tick{pick(random, ticks)});
    case 6: return value::of_guid(g);
    default: return value::of_binary(pick(random, bytes));
    }
}

inline test_entity random_entity(random_bits& random) {
    static constexpr std::string_view names[] = {"a", "b", "c", "flag", "http.code", "usage"};
    std::vector<tables::property> properties;
    for (auto name : names) {
        if (random() % 4 != 0) {
            properties.push_back({name, random_value(random)});
        }
    }
    const base::tick timestamp{base::unix_epoch.value + static_cast<int64_t>(random() % 3)};
    return {std::string(random_text(random)), std::string(random_text(random)), timestamp, std::move(properties)};
}

class filter_generator {
public:
    filter_generator(random_bits& random, query::dialect d) : _random(random), _dialect(d) {}

    query::filter make() {
        query::filter out(_dialect == query::dialect::native ? query::number_rule::by_value : query::number_rule::by_type);
        _patterns_left = query::patterns_count_max;
        if (_random() % 50 != 0) {
            add(out, 3);
        }
        return out;
    }

private:
    void add(query::filter& out, unsigned depth) {
        const auto choice = depth == 0 ? 0 : _random() % 10;
        if (choice < 4) {
            add_condition(out);
        } else if (choice < 5) {
            add(out, depth - 1);
            out.add_negation();
        } else {
            const size_t count = 2 + _random() % 3;
            for (size_t i = 0; i < count; ++i) {
                add(out, depth - 1);
            }
            choice < 8 ? out.add_conjunction(count) : out.add_disjunction(count);
        }
    }

    void add_condition(query::filter& out) {
        const auto choice = _random() % 20;
        if (choice == 0) {
            out.add_constant(_random() % 2 == 0);
        } else if (choice == 1) {
            out.add_holds(name());
        } else if (choice < 5 && _dialect == query::dialect::native) {
            add_text_test(out);
        } else if (choice < 12) { // on keys, with strings: what key ranges are made of
            out.add_compare({.name = _random() % 2 == 0 ? "PartitionKey" : "RowKey"}, op(),
                            tables::value::of_string(random_text(_random)));
        } else {
            out.add_compare(name(), op(), random_value(_random));
        }
    }

    void add_text_test(query::filter& out) {
        static constexpr std::string_view patterns[] = {"^a", "b$", "[a-c]+", "a.c", "", "[^é]$"};
        const auto kind = static_cast<query::node_kind>(static_cast<int>(query::node_kind::contains) + _random() % 4);
        const bool is_pattern = kind == query::node_kind::matches_pattern;
        if (is_pattern && _patterns_left == 0) {
            return out.add_constant(true);
        }
        _patterns_left -= is_pattern;
        out.add_text_test(kind, name(), is_pattern ? pick(_random, patterns) : random_text(_random));
    }

    query::subject name() {
        static constexpr std::string_view plain[] = {"a",      "b",        "c", "flag", "usage", "missing", "PartitionKey",
                                                     "RowKey", "Timestamp"};
        static constexpr std::string_view odd[] = {"http.code", "tag.x", "with \"quotes\"", "not", "time", "TRUE", "é"};
        if (_dialect == query::dialect::table_service) {
            return {.name = std::string(pick(_random, plain))};
        }
        const auto scope = static_cast<query::name_scope>(std::max<int>(0, static_cast<int>(_random() % 6) - 3));
        const bool is_odd = _random() % 5 == 0;
        query::subject s{scope, std::string(is_odd ? pick(_random, odd) : pick(_random, plain))};
        if (s.name == "time") {
            s.scope = query::name_scope::field; // plain `time` compares with times only
        }
        return s;
    }

    query::comparison op() { return static_cast<query::comparison>(_random() % 6); }

    random_bits& _random;
    query::dialect _dialect;
    size_t _patterns_left = 0;
};

} // namespace query_test

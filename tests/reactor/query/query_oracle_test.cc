// Random tails and ranges over random rows, beside a flat list of the same rows that is filtered and sorted as a whole.
// DOWNTICK_QUERIES sets the number of questions, DOWNTICK_SEED the seed.

#include <cstdlib>
#include <functional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/ticks.hh"
#include "tests/reactor/query/query_store.hh"

namespace {

using namespace query_test;
using query::verb;

constexpr int64_t second = 1'000'000'000;
constexpr int64_t now = query_store::now_ns;

uint64_t from_environment(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A filter and what it means.
struct condition {
    std::string text;
    std::function<bool(const stored_row&)> holds;
};

class oracle_run {
public:
    explicit oracle_run(uint64_t seed) : _random(seed) {
        _store.declare("cpu", {});
        _store.declare("mem", {.spread = 3});
        _store.declare("net", {.period = tables::period_kind::hour});
    }

    void write_some() {
        for (int i = 0; i < 40; ++i) {
            // Few distinct times, so that there are ties, and some in other periods.
            const int64_t time = now - static_cast<int64_t>(roll(200)) * second - static_cast<int64_t>(roll(4)) * 3600 * second -
                                 static_cast<int64_t>(roll(3)) * 86'400 * second + static_cast<int64_t>(roll(3)) * 50;
            if (roll(5) == 0) {
                const auto key = base::inverted_text(base::tick_from_unix_ns(time));
                _store.put_entity("audit", fmt::format("p{}", roll(4)), roll(10) == 0 ? "no time" : key + some({"", "a", "b"}),
                                  fields());
                continue;
            }
            std::map<std::string, std::string> tags{{"host", some({"a", "b", "c,d"})}};
            if (roll(3) == 0) {
                tags["dc"] = some({"x", "y"});
            }
            if (roll(9) == 0) {
                tags["u"] = "7"; // also the name of a field
            }
            _store.put_point(some({"cpu", "mem", "net"}), time, std::move(tags), fields());
        }
    }

    void ask_something() {
        const auto names = some_origins();
        const auto where = roll(3) == 0 ? condition{"", [](const stored_row&) { return true; }} : some_condition(2);
        const bool is_tail = roll(2) == 0;
        parameters list{{"from", names.first}, {"where", where.text}};
        int64_t start = INT64_MIN;
        int64_t end = INT64_MAX;
        if (!is_tail && roll(3) != 0) {
            start = now - static_cast<int64_t>(roll(300'000)) * second;
            end = start + static_cast<int64_t>(1 + roll(100'000)) * second;
            list.emplace_back("start", std::to_string(start));
            list.emplace_back("end", std::to_string(end));
        }
        const bool is_descending = is_tail || roll(2) == 0;
        if (!is_tail) {
            list.emplace_back("order", is_descending ? "desc" : "asc");
        }
        auto expected =
            flat([&](const stored_row& r) { return names.second(r) && where.holds(r) && r.time_ns >= start && r.time_ns < end; });
        if (is_descending) {
            std::ranges::reverse(expected);
        }
        const size_t limit = 1 + roll(60);
        list.emplace_back(is_tail ? "n" : "limit", std::to_string(limit));
        std::vector<std::string> found;
        if (is_tail) {
            auto answer = ask(_store, verb::tail, list);
            ASSERT_EQ(answer.error, "") << where.text;
            found = std::move(answer.rows);
            expected.resize(std::min(expected.size(), limit));
        } else {
            found = ask_all_pages(_store, list);
        }
        ASSERT_EQ(found, expected) << fmt::format("from {} where {} tail {} desc {} limit {}", names.first, where.text, is_tail,
                                                  is_descending, limit);
    }

private:
    uint64_t roll(uint64_t sides) { return _random() % sides; }
    std::string some(std::initializer_list<const char*> of) { return *(of.begin() + roll(of.size())); }

    std::vector<stored_field> fields() {
        std::vector<stored_field> made;
        if (roll(4) != 0) {
            made.push_back({.name = "u", .type = tables::value_type::real, .real = static_cast<double>(roll(100)) / 4});
        }
        if (roll(2) == 0) {
            made.push_back({.name = "n-1", .type = tables::value_type::int64, .integer = static_cast<int64_t>(roll(10))});
        }
        if (roll(4) == 0 || made.empty()) {
            made.push_back({.name = "s", .type = tables::value_type::string, .text = some({"", "ok", "not ok"})});
        }
        return made;
    }

    using origin_test = std::function<bool(const stored_row&)>;
    std::pair<std::string, origin_test> some_origins() {
        const auto is = [](std::string name) { return [name](const stored_row& r) { return r.from.name == name; }; };
        switch (roll(5)) {
        case 0: return {"cpu", is("cpu")};
        case 1: return {"family:mem", is("mem")};
        case 2: return {"table:audit", is("audit")};
        case 3: return {"cpu,net,mem", [](const stored_row& r) { return r.from.name != "audit"; }};
        default: return {"*", [](const stored_row&) { return true; }};
        }
    }

    condition some_condition(int depth) {
        if (depth > 0 && roll(3) != 0) {
            auto a = some_condition(depth - 1);
            if (roll(4) == 0) {
                return {"not (" + a.text + ")", [a](const stored_row& r) { return !a.holds(r); }};
            }
            auto b = some_condition(depth - 1);
            const bool is_and = roll(2) == 0;
            return {fmt::format("({}) {} ({})", a.text, is_and ? "and" : "or", b.text),
                    [a, b, is_and](const stored_row& r) { return is_and ? a.holds(r) && b.holds(r) : a.holds(r) || b.holds(r); }};
        }
        return some_test();
    }

    condition some_test() {
        switch (roll(6)) {
        case 0: {
            const auto host = some({"a", "b", "c,d", "z"});
            return {fmt::format("host eq '{}'", host),
                    [host](const stored_row& r) { return r.tags.contains("host") && r.tags.at("host") == host; }};
        }
        case 1: return {"tag.dc ne 'x'", [](const stored_row& r) { return r.tags.contains("dc") && r.tags.at("dc") != "x"; }};
        case 2: {
            const auto bound = static_cast<double>(roll(25));
            return {fmt::format("field.u gt {:.1f}", bound),
                    [bound](const stored_row& r) { return r.fields.contains("u") && r.fields.at("u").real > bound; }};
        }
        case 3:
            return {"\"n-1\" le 4L",
                    [](const stored_row& r) { return r.fields.contains("n-1") && r.fields.at("n-1").integer <= 4; }};
        case 4: {
            const int64_t time = now - static_cast<int64_t>(roll(100'000)) * second;
            return {fmt::format("time ge {}L", time), [time](const stored_row& r) { return r.time_ns >= time; }};
        }
        default:
            return {"contains(s,'ok')",
                    [](const stored_row& r) { return r.fields.contains("s") && r.fields.at("s").text.contains("ok"); }};
        }
    }

    // All rows that pass, oldest first, ties in the documented order.
    std::vector<std::string> flat(const std::function<bool(const stored_row&)>& passes) {
        std::vector<const stored_row*> chosen;
        for (const auto& r : _store.rows()) {
            if (passes(r)) {
                chosen.push_back(&r);
            }
        }
        std::ranges::sort(chosen, {}, [](const stored_row* r) { return std::tie(r->time_ns, r->from, r->table, r->order_key); });
        std::vector<std::string> rows;
        for (const auto* r : chosen) {
            rows.push_back(to_json(*r));
        }
        return rows;
    }

    std::mt19937_64 _random;
    query_store _store;
};

TEST(query_oracle, finds_what_a_flat_list_has) {
    const auto seed = from_environment("DOWNTICK_SEED", std::random_device()());
    const auto queries = from_environment("DOWNTICK_QUERIES", 600);
    SCOPED_TRACE(fmt::format("DOWNTICK_SEED={}", seed));
    oracle_run run(seed);
    for (uint64_t i = 0; i < queries && !::testing::Test::HasFatalFailure(); ++i) {
        if (i % 50 == 0 && i < 1000) {
            run.write_some();
        }
        run.ask_something();
    }
}

} // namespace

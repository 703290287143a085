// Questions about log sources: what a walk over all records says, page by page, in both orders.

#include <algorithm>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/thread.hh>

#include "base/level.hh"
#include "query/core/native/page_end.hh"
#include "query/core/native/row_decoder.hh"
#include "query/executor.hh"
#include "tests/lib/running_logs.hh"

namespace {

using namespace testing_lib;

constexpr int64_t noon_ns = 1'794'830'400'000'000'000;

class log_questions {
public:
    log_questions()
        : _disk({.operations = sim::history::drop, .yields_max = 0}),
          _logs(_disk, {.engine = {.shards_count = seastar::smp::count}, .logs = {.own_file_bytes = 5'000}}) {
        query::executor_config config{.account = "account", .now_ns = [] { return noon_ns + 3'600'000'000'000; }};
        _executors
            .start(config, std::ref((*_logs.engine()).container()),
                   seastar::sharded_parameter([this] { return &_logs.all().local(); }))
            .get();
    }
    ~log_questions() { _executors.stop().get(); }

    // On all shards in turn; sealed now and then.
    void fill(std::mt19937_64& random, int count) {
        for (int i = 0; i < count; ++i) {
            std::vector<sent_record> records;
            for (unsigned r = 0; r < 1 + random() % 20; ++r) {
                const auto text = fmt::format("request {} by user{} took {} ms", random() % 50, random() % 5, random() % 900);
                // Few times, so that many are the same.
                records.push_back({random() % 3 == 0 ? "db" : "web", noon_ns + static_cast<int64_t>(random() % 200),
                                   static_cast<uint8_t>(random() % 9), text});
            }
            all.insert(all.end(), records.begin(), records.end());
            const auto shard = static_cast<unsigned>(i) % seastar::smp::count;
            const auto done =
                _logs.all()
                    .invoke_on(shard,
                               [&](blobs::log_store& store) {
                                   return seastar::async([&] { return running_logs::append(store, records).has_value(); });
                               })
                    .get();
            ASSERT_TRUE(done);
            if (random() % 8 == 0) {
                ASSERT_TRUE(_logs.seal());
            }
        }
    }

    // All pages; "time source level message" each.
    std::vector<std::string> ask(query::verb verb, std::vector<std::pair<std::string, std::string>> parameters) {
        std::vector<std::string> rows;
        for (std::string cursor;;) {
            std::vector<query::parameter> given;
            for (const auto& [name, value] : parameters) {
                given.push_back({name, value});
            }
            if (!cursor.empty()) {
                given.push_back({"cursor", cursor});
            }
            auto asked = query::parse_request(verb, given, noon_ns + 3'600'000'000'000);
            EXPECT_TRUE(asked) << base::to_string(asked.error());
            auto plan = _executors.local().make_plan(std::move(*asked));
            EXPECT_TRUE(plan) << base::to_string(plan.error());
            query::control watch({}, seastar::smp::count);
            auto page = _executors.local().rows(*plan, watch).get();
            EXPECT_TRUE(page) << base::to_string(page.error().why);
            const auto end = query::end_of_page(*plan, *page->rows);
            query::row_decoder decoder(*plan);
            const auto& found = page->rows->finish();
            for (size_t i = 0; i < end.rows_count; ++i) {
                rows.push_back(text_of(decoder.decode(*found[i])));
            }
            cursor = end.cursor;
            if (cursor.empty() || verb == query::verb::tail) {
                return rows;
            }
        }
    }

    // count(*), by source.
    std::map<std::string, int64_t> count(const std::string& from, const std::string& where) {
        std::vector<query::parameter> given{{"from", from}, {"start", "-1d"}, {"agg", "count(*)"}, {"by", "source"}};
        if (!where.empty()) {
            given.push_back({"where", where});
        }
        auto asked = query::parse_request(query::verb::range, given, noon_ns + 3'600'000'000'000);
        EXPECT_TRUE(asked) << base::to_string(asked.error());
        auto plan = _executors.local().make_plan(std::move(*asked));
        EXPECT_TRUE(plan) << base::to_string(plan.error());
        query::control watch({}, seastar::smp::count);
        auto page = _executors.local().aggregates(*plan, watch).get();
        EXPECT_TRUE(page) << base::to_string(page.error().why);
        std::map<std::string, int64_t> counts;
        query::aggregator::result result;
        for (const auto* cell : page->cells) {
            page->sums->tell(*cell, result);
            counts[std::string(result.tags.at(0).second)] += result.fields.at(0).second.value().as_int64();
        }
        return counts;
    }

    static std::string text_of(const sent_record& r) { return fmt::format("{} {} {} {}", r.time_ns, r.source, r.level, r.text); }

    std::vector<sent_record> all;

private:
    static std::string text_of(const query::answer_row& row) {
        int level = blobs::level_none;
        std::string_view message;
        for (const auto& p : row.head) {
            level = p.name == "level" ? *base::parse_level(p.value.as_string()) : level;
            message = p.name == "message" ? p.value.as_string() : message;
        }
        return fmt::format("{} {} {} {}", *row.time_ns, row.from->name, level, message);
    }

    sim::sim_disk _disk;
    running_logs _logs;
    seastar::sharded<query::executor> _executors;
};

using records_filter = std::function<bool(const sent_record&)>;

void expect_rows(log_questions& logs, const std::string& from, const std::string& where, const records_filter& matches) {
    SCOPED_TRACE(from + ": " + where);
    std::vector<std::string> expected;
    std::map<std::string, int64_t> counts;
    for (const auto& r : logs.all) {
        if (matches(r)) {
            expected.push_back(log_questions::text_of(r));
            ++counts[r.source];
        }
    }
    EXPECT_EQ(logs.count(from, where), counts);
    std::ranges::sort(expected);
    for (const auto* order : {"asc", "desc"}) {
        std::vector<std::pair<std::string, std::string>> parameters{
            {"from", from}, {"start", "-1d"}, {"order", order}, {"limit", "37"}};
        if (!where.empty()) {
            parameters.emplace_back("where", where);
        }
        auto rows = logs.ask(query::verb::range, parameters);
        const auto time_of = [](const std::string& row) { return row.substr(0, row.find(' ')); };
        EXPECT_TRUE(order == std::string("asc") ? std::ranges::is_sorted(rows, {}, time_of)
                                                : std::ranges::is_sorted(rows, std::greater<>(), time_of));
        std::ranges::sort(rows);
        EXPECT_EQ(rows, expected) << order;
    }
}

TEST(log_query, pages_hold_every_record_once) {
    const auto seed = std::random_device()();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    log_questions logs;
    logs.fill(random, 60);
    const auto of = [](const char* source) { return [=](const sent_record& r) { return r.source == source; }; };
    expect_rows(logs, "web", "", of("web"));
    expect_rows(logs, "source:db", "", of("db"));
    expect_rows(logs, "*", "", [](const auto&) { return true; });
    expect_rows(logs, "*", "contains(message,'user3 took')", [](const auto& r) { return r.text.contains("user3 took"); });
    expect_rows(logs, "web", "level le 'error' and startswith(message,'request 4')",
                [](const auto& r) { return r.source == "web" && r.level <= 3 && r.text.starts_with("request 4"); });
    expect_rows(logs, "*", "source eq 'db' or matchesPattern(message,'took [0-9] ms$')", [](const auto& r) {
        const auto took = r.text.substr(r.text.find("took ") + 5);
        return r.source == "db" || took.size() == 4;
    });
    expect_rows(logs, "*", "not contains(message,'user3')", [](const auto& r) { return !r.text.contains("user3"); });
    expect_rows(logs, "*", "matchesPattern(message,'took [0-9]+ ms') and level ne 'info'",
                [](const auto& r) { return r.level != 6 && r.level != blobs::level_none; });
    expect_rows(logs, "web", "message eq 'no such message'", [](const auto&) { return false; });
}

TEST(log_query, a_tail_is_the_newest) {
    std::mt19937_64 random(3);
    log_questions logs;
    logs.fill(random, 40);
    const auto rows = logs.ask(query::verb::tail, {{"from", "*"}, {"n", "25"}});
    ASSERT_EQ(rows.size(), 25);
    std::vector<int64_t> times;
    for (const auto& r : logs.all) {
        times.push_back(r.time_ns);
    }
    std::ranges::sort(times, std::greater<>());
    for (size_t i = 0; i < rows.size(); ++i) {
        EXPECT_TRUE(rows[i].starts_with(std::to_string(times[i]))) << rows[i];
    }
}

} // namespace

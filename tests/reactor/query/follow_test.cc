// Live tails: what is there, then what arrives, each row once, whatever is written meanwhile and whenever the client goes.

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <seastar/core/thread.hh>
#include <seastar/util/defer.hh>

#include "query/follower.hh"
#include "tests/reactor/query/query_store.hh"

namespace {

using namespace query_test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr int64_t second = 1'000'000'000;
constexpr int64_t now = query_store::now_ns;
constexpr std::chrono::seconds patience(20);

stored_field integer(std::string name, int64_t value) {
    return {.name = std::move(name), .type = tables::value_type::int64, .integer = value};
}

query::request tail_request(const parameters& list) {
    std::vector<query::parameter> views;
    for (const auto& [name, text] : list) {
        views.push_back({name, text});
    }
    return query::parse_request(query::verb::tail, views, now).value();
}

// A live tail and what it has sent.
class listener {
public:
    listener(query_store& store, const parameters& list) : _live(store.executor(), tail_request(list)) {}
    ~listener() { _live.stop().get(); }

    void begin() {
        query::control watch({}, seastar::smp::count);
        const auto begun = _live.begin(watch).get();
        ASSERT_TRUE(begun) << begun.error().why.detail;
        for (; _live.history_bytes() > 0; ++pieces) {
            const auto before = heard_bytes();
            ASSERT_TRUE(listen_once());
            largest_piece = std::max(largest_piece, heard_bytes() - before);
        }
    }
    // Until it has sent so many in all.
    void listen(size_t count) {
        while (heard.size() < count) {
            const auto before = heard.size();
            ASSERT_TRUE(_live.next(patience, gone, sink()).get());
            ASSERT_TRUE(heard.size() > before || gone.abort_requested()) << "only " << before << " of " << count;
        }
    }
    bool listen_once() { return _live.next(patience, gone, sink()).get().has_value(); }

    std::vector<std::string> heard; // as JSON
    std::vector<std::string> late;  // of them
    size_t pieces = 0;              // of history
    size_t largest_piece = 0;       // in bytes
    seastar::abort_source gone;

private:
    size_t heard_bytes() const {
        size_t bytes = 0;
        for (const auto& json : heard) {
            bytes += json.size();
        }
        return bytes;
    }
    query::follower::sink sink() {
        return [this](std::string_view json, bool is_late) {
            heard.emplace_back(json);
            if (is_late) {
                late.emplace_back(json);
            }
        };
    }

    query::follower _live;
};

class follow : public ::testing::Test {
protected:
    void put(int64_t time, int n) { store.put_point("cpu", time, {{"host", std::to_string(n % 5)}}, {integer("n", n)}); }
    static int number(const std::string& json) { return std::stoi(json.substr(json.find("\"n\":") + 4)); }
    static std::vector<int> numbers(const std::vector<std::string>& rows) {
        std::vector<int> all;
        std::ranges::transform(rows, std::back_inserter(all), number);
        return all;
    }
    // What is on its way comes before these, one on each shard at the least.
    void put_marks(listener& live) {
        const auto count = live.heard.size();
        for (int i = 0; i < 5; ++i) {
            put(now + 200'000 * second, 1'000 + i);
        }
        live.listen(count + 5);
        ASSERT_EQ(live.heard.size(), count + 5);
        live.heard.resize(count);
    }
    size_t subscribers() {
        return store.executor()
            .container()
            .map_reduce0([](query::executor& e) { return e.live().subscribers_count(); }, size_t{0}, std::plus())
            .get();
    }

    query_store store;
};

TEST_F(follow, history_comes_oldest_first_then_each_arrival_once) {
    for (int i = 0; i < 10; ++i) {
        put(now - (9 - i) * second, i);
    }
    listener live(store, {{"from", "cpu"}, {"n", "3"}});
    live.begin();
    EXPECT_THAT(numbers(live.heard), ElementsAre(7, 8, 9));
    put(now + 1, 100);
    put(now + 1, 101); // the same time, another series
    live.listen(5);
    put(now + 86'400 * second, 102); // in tomorrow's table, which is not there yet
    live.listen(6);
    EXPECT_THAT(numbers(live.heard), UnorderedElementsAre(7, 8, 9, 100, 101, 102));
    EXPECT_EQ(number(live.heard.back()), 102);
    put(now + 1, 100); // again
    put_marks(live);
    EXPECT_EQ(live.heard.size(), 6u) << "a row that was sent is not sent again";
    EXPECT_THAT(live.late, IsEmpty());
}

TEST_F(follow, a_late_row_is_marked_however_late) {
    put(now, 1);
    listener live(store, {{"from", "cpu"}});
    live.begin();
    put(now - second / 2, 2);
    live.listen(2);
    put(now - 40 * 86'400 * second, 3);
    live.listen(3);
    EXPECT_THAT(numbers(live.late), ElementsAre(2, 3));
}

TEST_F(follow, only_what_matches_comes) {
    put(now, 1);
    store.put_record("web", now, 6, "hello");
    listener live(store, {{"from", "cpu,web"}, {"where", "n ge 10 or contains(message,'again')"}});
    live.begin();
    EXPECT_THAT(live.heard, IsEmpty());
    put(now, 2);
    store.put_record("web", now + 1, 6, "hello");
    store.put_record("db", now + 1, 6, "again");
    put(now + 1, 11);
    store.put_record("web", now + 2, 6, "hello again");
    live.listen(2);
    std::ranges::sort(live.heard);
    EXPECT_THAT(
        live.heard,
        ElementsAre(
            R"({"time":"2026-11-16T09:30:00.000000001Z","family":"cpu","tags":{"host":"1"},"fields":{"n":11}})",
            R"({"time":"2026-11-16T09:30:00.000000002Z","source":"web","level":"info","message":"hello again","fields":{}})"));
}

TEST_F(follow, a_long_history_comes_in_pieces_and_none_of_it_is_held_behind_them) {
    for (int i = 0; i < 2'000; ++i) {
        put(now + i, i);
    }
    listener live(store, {{"from", "cpu"}, {"n", "1500"}});
    live.begin();
    ASSERT_EQ(live.heard.size(), 1'500u);
    for (int i = 0; i < 1'500; ++i) {
        ASSERT_EQ(number(live.heard[static_cast<size_t>(i)]), 500 + i);
    }
    EXPECT_GT(live.pieces, 2u);
    EXPECT_LT(live.largest_piece, 64u << 10);
    put(now + 3'000, 7);
    live.listen(1'501);
}

TEST_F(follow, rows_of_many_shapes_keep_their_own_fields) {
    put(now, 0);
    listener live(store, {{"from", "cpu"}, {"n", "1"}});
    live.begin();
    constexpr int rows = 300;
    for (int i = 1; i <= rows; ++i) {
        std::vector<stored_field> fields{integer(fmt::format("f{}", i % 50), i)};
        if (i % 3 == 0) {
            fields.push_back({.name = fmt::format("t{}", i % 7), .type = tables::value_type::string, .text = std::to_string(i)});
        }
        store.put_point("cpu", now + i, {{"host", std::to_string(i % 5)}}, std::move(fields));
        live.listen(1 + static_cast<size_t>(i));
        ASSERT_EQ(live.heard.back(), to_json(store.rows().back()));
    }
}

TEST_F(follow, it_waits_for_names_that_are_not_there_yet) {
    listener live(store, {{"from", "cpu,source:new"}, {"follow", "true"}});
    live.begin();
    EXPECT_THAT(live.heard, IsEmpty());
    put(now, 1);
    live.listen(1);
    store.put_record("other", now, 6, "no");
    store.put_record("new", now + 1, 6, "yes", {.shard = 1});
    live.listen(2);
    EXPECT_THAT(live.heard, ElementsAre(HasSubstr(R"("n":1)"), HasSubstr(R"("source":"new")")));
}

TEST_F(follow, rows_that_race_with_the_switch_come_once) {
    store.declare("cpu", {.spread = 2});
    bool goes_on = true;
    int written = 0;
    put(now, written++);
    auto writing = seastar::async([&] {
        while (goes_on) {
            put(now + written, written);
            store.put_record("web", now + written, 6, fmt::format("\"n\":{}", 1'000'000 + written));
            ++written;
            if (written % 40 == 0) {
                store.flush();
                store.seal();
            }
        }
    });
    const auto end_writing = seastar::defer([&]() noexcept {
        if (std::exchange(goes_on, false)) {
            writing.get();
        }
    });
    for (int round = 0; round < 20; ++round) {
        const int before = written;
        while (written < before + 10) {
            seastar::thread::yield();
        }
        listener live(store, {{"from", "cpu,web"}, {"n", "100000"}});
        live.begin();
        const int begun = written;
        while (written < begun + 20) {
            seastar::thread::yield();
        }
        if (round == 19) {
            goes_on = false;
            writing.get();
        }
        const auto expected = store.rows().size();
        live.listen(expected);
        std::map<std::string, int> times;
        size_t counted = 0;
        const auto count_heard = [&] {
            for (; counted < live.heard.size(); ++counted) {
                ++times[live.heard[counted]];
            }
        };
        count_heard();
        for (size_t i = 0; i < expected; ++i) {
            const auto json = to_json(store.rows()[i]);
            // Later rows of one shard may come before those that another has yet to send, but not without end.
            for (; !times.contains(json) && live.heard.size() < expected + 2'000; count_heard()) {
                ASSERT_TRUE(live.listen_once());
            }
            ASSERT_TRUE(times.contains(json)) << json << " was missed";
        }
        for (const auto& [json, count] : times) {
            ASSERT_EQ(count, 1) << json;
        }
    }
    EXPECT_EQ(subscribers(), 0u);
}

TEST_F(follow, a_client_that_goes_leaves_nothing_behind) {
    put(now, 1);
    {
        listener live(store, {{"from", "cpu"}});
        live.begin();
        EXPECT_EQ(subscribers(), seastar::smp::count);
        auto waiting = seastar::async([&] { return live.listen_once(); });
        live.gone.request_abort();
        EXPECT_TRUE(waiting.get());
    }
    EXPECT_EQ(subscribers(), 0u);
    put(now + 1, 2);
}

TEST_F(follow, one_that_takes_nothing_is_told_that_it_has_missed_some) {
    put(now, 0);
    listener live(store, {{"from", "cpu"}});
    live.begin();
    const std::string long_text(30'000, 'x');
    for (int i = 0; i < 600; ++i) {
        store.put_point("cpu", now + i, {{"host", "a"}}, {{.name = "t", .type = tables::value_type::string, .text = long_text}});
    }
    int rounds = 0;
    while (live.listen_once()) {
        ASSERT_LT(++rounds, 600);
    }
    EXPECT_LT(live.heard.size(), 600u);
}

} // namespace

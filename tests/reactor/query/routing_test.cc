// Which shards a question goes to, and that none is missed.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>

#include "tables/core/key.hh"
#include "tests/reactor/query/query_store.hh"

namespace {

using namespace query_test;
using query::verb;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t second = 1'000'000'000;
constexpr int64_t now = query_store::now_ns;
constexpr int hosts_count = 40;

stored_field integer(std::string name, int64_t value) {
    return {.name = std::move(name), .type = tables::value_type::int64, .integer = value};
}

std::string host(int i) {
    return fmt::format("h{}", i);
}

std::string about(int i) {
    return fmt::format("host eq '{}'", host(i));
}

class routing : public ::testing::Test {
protected:
    void put(int i, int64_t time_ns = now) { store.put_point("cpu", time_ns, {{"host", host(i)}}, {integer("n", i)}); }
    void put_hosts() {
        for (int i = 0; i < hosts_count; ++i) {
            put(i);
        }
    }
    size_t found(const std::string& where) { return ask(store, verb::tail, {{"from", "cpu"}, {"where", where}}).rows.size(); }
    // On the shard that runs this.
    std::vector<unsigned> asked(const parameters& question) {
        std::vector<query::parameter> views;
        for (const auto& [name, text] : question) {
            views.push_back({name, text});
        }
        const auto plan = store.executor().make_plan(query::parse_request(verb::tail, views, now).value()).value();
        std::vector<uint32_t> parts(plan.parts.size());
        std::iota(parts.begin(), parts.end(), 0u);
        return store.executor().shards_for(plan, parts);
    }
    std::vector<unsigned> asked_about(const std::string& where) { return asked({{"from", "cpu"}, {"where", where}}); }
    // On average, about one host.
    double asked_on_average() {
        size_t sum = 0;
        for (int i = 0; i < hosts_count; ++i) {
            sum += asked_about(about(i)).size();
        }
        return static_cast<double>(sum) / hosts_count;
    }
    unsigned owner_of(const std::string& partition) { return store.engine().owner_of(tables::collate(partition)); }
    template <class Work>
    void on_each_shard(Work work) {
        for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
            seastar::smp::submit_to(shard, [&] { return seastar::async([&] { work(); }); }).get();
        }
    }

    query_store store;
};

TEST_F(routing, all_are_asked_as_long_as_nothing_is_known) {
    put_hosts();
    EXPECT_THAT(asked_about(about(0)), SizeIs(seastar::smp::count));
}

TEST_F(routing, after_one_question_only_who_has_a_series_is_asked_about_it) {
    put_hosts();
    EXPECT_EQ(found(about(0)), 1u);
    for (int i = 0; i < hosts_count; ++i) {
        EXPECT_THAT(asked_about(about(i)), Contains(owner_of("host=" + host(i))));
    }
    EXPECT_LT(asked_on_average(), 1.1);
    EXPECT_THAT(asked_about("host eq 'nobody'"), IsEmpty());
    EXPECT_EQ(found("host eq 'nobody'"), 0u);
}

TEST_F(routing, the_shard_that_was_asked_comes_last) {
    put_hosts();
    on_each_shard([&] { EXPECT_EQ(asked({{"from", "cpu"}}).back(), seastar::this_shard_id()); });
}

TEST_F(routing, what_tags_do_not_say_is_asked_of_all) {
    put_hosts();
    EXPECT_EQ(found(about(0)), 1u);
    EXPECT_THAT(asked({{"from", "cpu"}}), SizeIs(seastar::smp::count));
    EXPECT_THAT(asked_about("n eq 3L"), SizeIs(seastar::smp::count));
    EXPECT_THAT(asked_about("host ne 'h1'"), SizeIs(seastar::smp::count));
    store.put_entity("plain", "host=h1", "r", {integer("n", 1)});
    EXPECT_THAT(asked({{"from", "cpu,table:plain"}, {"where", about(0)}}), SizeIs(seastar::smp::count));
}

TEST_F(routing, a_named_partition_is_its_owners) {
    put_hosts();
    store.put_entity("plain", "p", "r", {integer("n", 1)});
    EXPECT_THAT(asked({{"from", "cpu"}, {"partition", "host=h7"}}), ElementsAre(owner_of("host=h7")));
    EXPECT_THAT(asked({{"from", "table:plain"}, {"partition", "p"}}), ElementsAre(owner_of("p")));
    on_each_shard([&] { EXPECT_THAT(ask(store, verb::tail, {{"from", "cpu"}, {"partition", "host=h7"}}).rows, SizeIs(1)); });
}

TEST_F(routing, a_new_series_is_seen_by_the_next_question_wherever_it_is_asked) {
    put_hosts();
    on_each_shard([&] { EXPECT_EQ(found(about(0)), 1u); });
    for (int i = hosts_count; i < 2 * hosts_count; ++i) {
        EXPECT_EQ(found(about(i)), 0u);
        put(i);
        on_each_shard([&] { EXPECT_EQ(found(about(i)), 1u) << i; });
    }
}

TEST_F(routing, flushes_and_merges_and_further_points_change_nothing) {
    put_hosts();
    EXPECT_EQ(found(about(0)), 1u);
    for (int round = 1; round <= 3; ++round) {
        store.flush();
        EXPECT_LT(asked_on_average(), 1.1);
        for (int i = 0; i < hosts_count; ++i) {
            put(i, now - round * second);
            on_each_shard([&] { EXPECT_EQ(found(about(i)), static_cast<size_t>(round) + 1) << i; });
        }
        EXPECT_LT(asked_on_average(), 1.1);
        store.merge();
    }
}

TEST_F(routing, a_restart_begins_anew) {
    put_hosts();
    EXPECT_EQ(found(about(0)), 1u);
    store.restart();
    EXPECT_THAT(asked_about(about(0)), SizeIs(seastar::smp::count));
    put(hosts_count);
    on_each_shard([&] { EXPECT_EQ(found(about(hosts_count)), 1u); });
    EXPECT_LT(asked_on_average(), 1.1);
}

TEST_F(routing, a_field_of_that_name_is_found_where_the_series_has_no_such_tag) {
    put_hosts();
    EXPECT_EQ(found(about(0)), 1u);
    store.put_point("cpu", now, {{"dc", "east"}}, {{.name = "host", .type = tables::value_type::string, .text = "h0"}});
    on_each_shard([&] { EXPECT_EQ(found(about(0)), 2u); });
}

TEST_F(routing, a_spread_series_is_asked_of_all_who_have_a_part_of_it) {
    store.declare("hot", {.spread = 7});
    for (int i = 0; i < 50; ++i) {
        store.put_point("hot", now - i * second, {{"host", i % 2 == 0 ? "a" : "b"}}, {integer("n", i)});
        on_each_shard([&] {
            EXPECT_THAT(ask(store, verb::tail, {{"from", "hot"}, {"n", "100"}, {"where", "host eq 'a'"}}).rows,
                        SizeIs(static_cast<size_t>(i) / 2 + 1));
            EXPECT_THAT(ask(store, verb::tail, {{"from", "hot"}, {"n", "100"}, {"partition", "host=a"}}).rows,
                        SizeIs(static_cast<size_t>(i) / 2 + 1));
        });
    }
}

TEST_F(routing, sums_have_what_another_shard_alone_has) {
    put_hosts();
    const auto sum = [&](const std::string& where) {
        return ask(store, verb::range, {{"from", "cpu"}, {"agg", "count(*),sum(n)"}, {"where", where}}).rows;
    };
    on_each_shard([&] {
        for (int i = 0; i < hosts_count; ++i) {
            EXPECT_THAT(sum(about(i)), ElementsAre(::testing::HasSubstr(fmt::format("\"sum(n)\":{}", i))));
        }
    });
    EXPECT_LT(asked_on_average(), 1.1);
}

TEST(routing_without_memory, all_are_asked_where_there_is_no_index) {
    query_store store(1);
    for (int i = 0; i < hosts_count; ++i) {
        store.put_point("cpu", now, {{"host", host(i)}}, {integer("n", i)});
    }
    for (int i = 0; i < hosts_count; ++i) {
        EXPECT_THAT(ask(store, verb::tail, {{"from", "cpu"}, {"where", about(i)}}).rows, SizeIs(1));
    }
}

} // namespace

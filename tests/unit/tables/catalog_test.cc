#include "tables/core/catalog_state.hh"

#include <gtest/gtest.h>

#include "tables/core/dropped_periods.hh"

namespace {

using namespace tables;
using base::errc;

table_info table(uint64_t id, std::string name) {
    return {.id = {id}, .created = {100}, .account = "acct", .name = std::move(name), .family = std::nullopt};
}

table_info period_table(uint64_t id) {
    auto t = table(id, "cpu20261116");
    t.family = family_binding{"cpu", period_kind::day, base::tick{639'000'000'000'000'000}, 4};
    return t;
}

TEST(catalog_edit, every_kind_comes_back) {
    for (const catalog_edit& edit :
         std::vector<catalog_edit>{create_table_edit{table(7, "Cities")}, create_table_edit{period_table(8)},
                                   drop_table_edit{{7}}, next_id_edit{{99}}, attribute_edit{{8}, "acct", "acl", "<x/>"}}) {
        EXPECT_EQ(decode_catalog_edit(encode(edit)).value(), edit);
    }
}

TEST(catalog_edit, no_truncation_and_no_tail_parses) {
    const auto bytes = encode(create_table_edit{period_table(8)});
    for (size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(decode_catalog_edit(bytes.substr(0, length))) << length;
    }
    EXPECT_FALSE(decode_catalog_edit(bytes + "x"));
    EXPECT_FALSE(decode_catalog_edit("\x09"));
}

// What hangs on tables and accounts comes from outside, and the history of the catalog has an end.
TEST(catalog_state, a_full_catalog_still_has_room_for_drops_and_removals) {
    catalog_state state;
    const auto add = [&](const catalog_edit& edit) { return state.check_room(edit) && state.apply(edit); };
    const auto policy = [](int i, size_t bytes) {
        return attribute_edit{{}, "acct", "retention/" + std::to_string(i), std::string(bytes, 'x')};
    };
    ASSERT_TRUE(add(create_table_edit{table(1, "Cities")}));
    ASSERT_TRUE(add(attribute_edit{{1}, "acct", "acl", std::string(500, 'x')}));
    int count = 0;
    while (add(policy(count, 60'000))) {
        ++count;
    }
    EXPECT_LE(state.bytes(), catalog_bytes_max);
    size_t history_bytes = 0;
    for (const auto& edit : state.snapshot()) {
        history_bytes += encode(edit).size();
    }
    EXPECT_LE(history_bytes, state.bytes()) << "never more than it says";
    EXPECT_EQ(state.check_room(policy(count, 60'000)).error().code, errc::out_of_space);
    EXPECT_EQ(state.check_room(policy(0, 60'001)).error().code, errc::out_of_space);
    while (add(policy(count, 1))) {
        ++count;
    }
    EXPECT_EQ(state.check_room(create_table_edit{period_table(2)}).error().code, errc::too_many_tables);
    EXPECT_TRUE(add(policy(0, 59'000))) << "less in place of more";
    EXPECT_TRUE(add(drop_table_edit{{1}}));
    for (int i = 0; i < count; ++i) {
        EXPECT_TRUE(add(policy(i, 0)));
    }
    EXPECT_EQ(state.bytes(), 0u);
}

TEST(catalog_state, names_ignore_case_and_keep_their_spelling) {
    catalog_state state;
    ASSERT_TRUE(state.apply(create_table_edit{table(1, "Cities")}));
    EXPECT_EQ(state.find("acct", "cITIES")->name, "Cities");
    EXPECT_EQ(state.find("other", "Cities"), nullptr);
    EXPECT_EQ(state.apply(create_table_edit{table(2, "CITIES")}).error().code, errc::table_exists);
}

TEST(catalog_state, a_name_is_free_again_at_once_but_an_id_never) {
    catalog_state state;
    ASSERT_TRUE(state.apply(create_table_edit{table(1, "Cities")}));
    ASSERT_TRUE(state.apply(drop_table_edit{{1}}));
    EXPECT_EQ(state.find("acct", "cities"), nullptr);
    EXPECT_FALSE(state.apply(create_table_edit{table(1, "Cities")})) << "an old incarnation must not come back";
    EXPECT_TRUE(state.apply(create_table_edit{table(2, "Cities")}));
    EXPECT_EQ(state.apply(drop_table_edit{{1}}).error().code, errc::table_not_found);
}

TEST(dropped_periods, what_was_over_when_it_was_dropped_is_remembered) {
    constexpr int64_t hour = 3600 * base::ticks_per_second;
    catalog_state state;
    auto t = period_table(1);
    t.family->period_start = start_of(period_kind::day, t.family->period_start);
    const auto end = end_of(period_kind::day, t.family->period_start);
    EXPECT_EQ(dropped_edit(state, table(1, "Cities"), end), std::nullopt) << "of no family";
    EXPECT_EQ(dropped_edit(state, t, base::tick{end.value + hour}), std::nullopt) << "late points may come yet";
    const auto edit = dropped_edit(state, t, base::tick{end.value + hour + 1});
    ASSERT_TRUE(edit);
    EXPECT_EQ(dropped_until(state, "acct", "cpu"), base::tick{});
    ASSERT_TRUE(state.apply(*edit));
    EXPECT_EQ(dropped_until(state, "acct", "cpu"), end);
    EXPECT_EQ(dropped_until(state, "acct", "mem"), base::tick{});
    EXPECT_EQ(dropped_edit(state, t, base::tick{end.value + 9 * hour}), std::nullopt) << "it is known";
    catalog_state copy;
    for (const auto& each : state.snapshot()) {
        ASSERT_TRUE(copy.apply(each));
    }
    EXPECT_EQ(dropped_until(copy, "acct", "cpu"), end);
}

TEST(catalog_state, listing_is_by_folded_name_and_pages) {
    catalog_state state;
    uint64_t id = 1;
    for (auto name : {"beta", "Alpha", "gamma", "Delta"}) {
        ASSERT_TRUE(state.apply(create_table_edit{table(id++, name)}));
    }
    auto names = [&](std::string from, size_t count) {
        std::string joined;
        for (const auto& t : state.list("acct", from, count)) {
            joined += t.name + " ";
        }
        return joined;
    };
    EXPECT_EQ(names("", 10), "Alpha beta Delta gamma ");
    EXPECT_EQ(names("b", 2), "beta Delta ");
}

TEST(catalog_state, attributes_go_with_their_table) {
    catalog_state state;
    ASSERT_TRUE(state.apply(create_table_edit{table(1, "Cities")}));
    ASSERT_TRUE(state.apply(attribute_edit{{1}, "acct", "acl", "x"}));
    ASSERT_TRUE(state.apply(attribute_edit{{0}, "acct", "cors", "y"}));
    EXPECT_EQ(state.attribute({1}, "acct", "acl"), "x");
    ASSERT_TRUE(state.apply(drop_table_edit{{1}}));
    EXPECT_EQ(state.attribute({1}, "acct", "acl"), "");
    EXPECT_EQ(state.attribute({0}, "acct", "cors"), "y");
    EXPECT_FALSE(state.apply(attribute_edit{{1}, "acct", "acl", "x"}));
}

TEST(catalog_state, a_snapshot_leads_to_the_same_state) {
    catalog_state state;
    for (uint64_t id = 1; id <= 5; ++id) {
        ASSERT_TRUE(state.apply(create_table_edit{table(id, "Table" + std::to_string(id))}));
    }
    ASSERT_TRUE(state.apply(attribute_edit{{3}, "acct", "acl", "x"}));
    ASSERT_TRUE(state.apply(drop_table_edit{{5}}));
    catalog_state copy;
    for (const auto& edit : state.snapshot()) {
        ASSERT_TRUE(copy.apply(edit));
    }
    EXPECT_EQ(copy.snapshot(), state.snapshot());
    EXPECT_EQ(copy.next_id().value, 6u) << "the id of the dropped table stays spent";
}

} // namespace

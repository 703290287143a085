#include "ingest/core/family_index.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tables/core/dropped_periods.hh"
#include "tables/core/retention_policy.hh"

namespace {

using ingest::line_fault;
using tables::period_kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t hour_ns = 3'600'000'000'000;
constexpr int64_t day_ns = 24 * hour_ns;
// 2026-11-16T00:00:00Z, and noon.
constexpr int64_t today = 20'773 * day_ns;
constexpr int64_t noon = today + 12 * hour_ns;

class family_index_test : public ::testing::Test {
protected:
    base::table_id make(const std::string& name, std::optional<tables::family_binding> binding,
                        const std::string& account = "us") {
        const tables::table_info info{catalog.next_id(), {}, account, name, std::move(binding)};
        EXPECT_TRUE(catalog.apply(tables::create_table_edit{info}));
        return info.id;
    }
    // As the reactor side does it.
    base::table_id make(const ingest::table_need& need, unsigned attempt = 0) {
        const auto id =
            make(index.table_name(need, attempt), tables::family_binding{need.family, need.every, need.start, need.spread});
        index.sync();
        return id;
    }
    // As the engine does it.
    void drop(base::table_id id, int64_t now_ns = noon) {
        if (const auto until = tables::dropped_edit(catalog, *catalog.find(id), base::tick_from_unix_ns(now_ns))) {
            EXPECT_TRUE(catalog.apply(*until));
        }
        EXPECT_TRUE(catalog.apply(tables::drop_table_edit{id}));
    }
    void set_period(const std::string& family, period_kind every) {
        EXPECT_TRUE(catalog.apply(tables::retention_edit("us", {.name = family, .period = every})));
    }
    // The table of the family for a point of that time, made if need be.
    base::table_id made_for(const std::string& family, int64_t time_ns, int64_t now_ns = noon) {
        const auto found = index.find(family, time_ns, now_ns);
        EXPECT_TRUE(found);
        return (*found)->id.value != 0 ? (*found)->id : make(ingest::need_of(**found));
    }
    std::string name_of(const std::string& family) {
        return index.table_name(ingest::need_of(**index.find(family, noon, noon)), 0);
    }

    tables::catalog_state catalog;
    ingest::family_index index{catalog, {.account = "us", .spreads = {{"hot", 4}}}};
};

TEST_F(family_index_test, a_table_that_is_missing_is_entered_without_an_id) {
    const auto found = index.find("cpu", noon, noon);
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)->id.value, 0u);
    EXPECT_EQ((*found)->start_ns, today);
    EXPECT_EQ((*found)->end_ns, today + day_ns);
    EXPECT_EQ(index.find("cpu", today, noon), found);
    EXPECT_NE(index.find("cpu", today - 1, noon), found);
    EXPECT_EQ(index.table_name(ingest::need_of(**found), 0), "cpu20261116");
}

TEST_F(family_index_test, what_was_made_is_found_and_keeps_its_place) {
    auto* entered = *index.find("cpu", noon, noon);
    const auto serial = entered->serial;
    const auto id = make(ingest::need_of(*entered));
    auto* found = *index.find("cpu", noon, noon);
    EXPECT_EQ(found->id, id);
    EXPECT_EQ(found->serial, serial);
    EXPECT_EQ(index.find_made(ingest::need_of(*found)), found);
}

TEST_F(family_index_test, tables_of_before_are_loaded_and_those_of_others_are_not) {
    make("cpu20261116", tables::family_binding{"cpu", tables::period_kind::day, base::tick_from_unix_ns(today), 3});
    make("cpu20261116", tables::family_binding{"cpu", tables::period_kind::day, base::tick_from_unix_ns(today), 3}, "them");
    make("mine", {});
    ingest::family_index later(catalog, {.account = "us"});
    EXPECT_EQ(later.load(""), std::nullopt);
    EXPECT_EQ(later.families_count(), 1u);
    const auto found = later.find("cpu", noon, noon);
    EXPECT_EQ((*found)->id.value, 1u);
    EXPECT_EQ((*found)->spread, 3u);
}

TEST_F(family_index_test, a_dropped_table_is_not_found_again) {
    const auto id = make(ingest::need_of(**index.find("cpu", noon, noon)));
    ASSERT_EQ((*index.find("cpu", noon, noon))->id, id);
    drop(id);
    index.sync();
    EXPECT_EQ((*index.find("cpu", noon, noon))->id.value, 0u) << "that of a running period begins anew";
}

TEST_F(family_index_test, the_table_of_a_period_that_is_over_does_not_come_back) {
    const int64_t later = noon + 3 * day_ns;
    const auto id = make(ingest::need_of(**index.find("cpu", noon, noon)));
    EXPECT_TRUE(index.find("cpu", noon, later)) << "late is not too late";
    drop(id, later);
    index.sync();
    EXPECT_EQ(index.find("cpu", noon, later).error(), line_fault::point_expired);
    EXPECT_EQ(index.find("cpu", noon - 9 * day_ns, later).error(), line_fault::point_expired);
    EXPECT_TRUE(index.find("cpu", noon + day_ns, later));
    EXPECT_TRUE(index.find("mem", noon, later));
}

TEST_F(family_index_test, nor_does_it_after_a_restart_or_on_another_shard) {
    const int64_t later = noon + 3 * day_ns;
    const auto id = made_for("cpu", noon);
    made_for("cpu", later, later);
    drop(id, later);
    ingest::family_index another(catalog, {.account = "us"});
    EXPECT_EQ(another.load(""), std::nullopt);
    EXPECT_EQ(another.find("cpu", noon, later).error(), line_fault::point_expired);
    EXPECT_TRUE(another.find("cpu", later, later));
    index.sync();
    index.sweep(later);
    EXPECT_EQ(index.find("cpu", noon, later).error(), line_fault::point_expired) << "nor after a sweep";
}

TEST_F(family_index_test, a_longer_period_takes_effect_beside_the_tables_there_are) {
    const auto yesterday = made_for("cpu", noon - day_ns);
    const auto now = made_for("cpu", noon);
    set_period("cpu", period_kind::month);
    const auto month = made_for("cpu", noon + day_ns);
    EXPECT_EQ((*index.find("cpu", noon + day_ns, noon))->every, period_kind::month);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ((*index.find("cpu", noon + day_ns - i, noon))->id, month) << "and it is found again";
        EXPECT_EQ((*index.find("cpu", noon, noon))->id, now) << "what there is goes on";
        EXPECT_EQ((*index.find("cpu", noon - day_ns, noon))->id, yesterday);
        EXPECT_EQ((*index.find("cpu", noon - 5 * day_ns, noon))->id, month);
    }
}

TEST_F(family_index_test, of_two_that_begin_together_all_shards_choose_the_same) {
    const auto first = base::tick_from_unix_ns(today - 15 * day_ns); // 2026-11-01
    const auto day = make("a20261101", tables::family_binding{"cpu", period_kind::day, first, 1});
    const auto month = make("b202611", tables::family_binding{"cpu", period_kind::month, first, 1});
    ingest::family_index loaded(catalog, {.account = "us"});
    loaded.load("");
    index.sync();
    for (auto* each : {&index, &loaded}) {
        EXPECT_EQ((*each->find("cpu", base::unix_ns(first), noon))->id, day);
        EXPECT_EQ((*each->find("cpu", noon, noon))->id, month);
    }
}

TEST_F(family_index_test, the_next_table_is_as_settings_and_policy_have_it_now) {
    make("cpu20261116", tables::family_binding{"cpu", period_kind::day, base::tick_from_unix_ns(today), 1});
    make("hot20261116", tables::family_binding{"hot", period_kind::day, base::tick_from_unix_ns(today), 1});
    index.sync();
    const int64_t late = today + day_ns - hour_ns / 2;
    (*index.find("cpu", late, late))->is_written = true;
    (*index.find("hot", late, late))->is_written = true;
    set_period("cpu", period_kind::hour);
    const auto tomorrow = base::tick_from_unix_ns(today + day_ns);
    EXPECT_THAT(index.due_ahead(late), ::testing::UnorderedElementsAre(ingest::table_need{"cpu", period_kind::hour, tomorrow, 1},
                                                                       ingest::table_need{"hot", period_kind::day, tomorrow, 4}));
    set_period("cpu", period_kind::month);
    for (const auto& need : index.due_ahead(late)) {
        make(need);
    }
    EXPECT_EQ((*index.find("cpu", today + day_ns, late))->every, period_kind::month);
    EXPECT_THAT(index.due_ahead(late), IsEmpty()) << "the month began long ago, and is there";
}

TEST_F(family_index_test, a_drop_and_a_creation_between_two_looks_are_both_seen) {
    const auto id = make(ingest::need_of(**index.find("cpu", noon, noon)));
    drop(id);
    const auto again =
        make("cpu20261116", tables::family_binding{"cpu", tables::period_kind::day, base::tick_from_unix_ns(today), 1});
    index.sync();
    EXPECT_EQ((*index.find("cpu", noon, noon))->id, again);
}

TEST_F(family_index_test, points_of_the_day_after_tomorrow_are_refused) {
    EXPECT_TRUE(index.find("cpu", noon + day_ns, noon));
    EXPECT_EQ(index.find("cpu", noon + day_ns + 1, noon).error(), line_fault::point_in_future);
    make(ingest::need_of(**index.find("cpu", noon + day_ns, noon)));
    EXPECT_TRUE(index.find("cpu", noon + day_ns, noon));
    EXPECT_EQ(index.find("cpu", noon + day_ns + 1, noon).error(), line_fault::point_in_future)
        << "also when the table is at hand";
    EXPECT_EQ(index.find("cpu", INT64_MAX, noon).error(), line_fault::point_in_future);
    EXPECT_TRUE(index.find("cpu", INT64_MIN, noon));
}

TEST_F(family_index_test, families_that_differ_only_in_case_have_different_tables) {
    EXPECT_EQ(name_of("cpu"), "cpu20261116");
    make(ingest::need_of(**index.find("cpu", noon, noon)));
    EXPECT_EQ(name_of("cpu"), "cpu20261116");
    EXPECT_THAT(name_of("CPU"), ::testing::MatchesRegex("CPUx[0-9a-f]{8}20261116"));
}

TEST_F(family_index_test, a_name_that_is_taken_is_followed_by_hashed_ones) {
    const auto need = ingest::need_of(**index.find("cpu", noon, noon));
    EXPECT_THAT(index.table_name(need, 1), ::testing::MatchesRegex("cpux[0-9a-f]{8}20261116"));
    EXPECT_NE(index.table_name(need, 1), index.table_name(need, 2));
    make(need, 1);
    const auto next = ingest::need_of(**index.find("cpu", noon + day_ns, noon));
    EXPECT_THAT(index.table_name(next, 0), ::testing::MatchesRegex("cpux[0-9a-f]{8}20261117")) << "and kept for the next period";
}

TEST_F(family_index_test, there_is_a_bound_on_families_and_on_periods) {
    for (size_t i = 0; i < ingest::families_max; ++i) {
        ASSERT_TRUE(index.find("f" + std::to_string(i), noon, noon));
    }
    EXPECT_EQ(index.find("one_more", noon, noon).error(), line_fault::too_many_families);
    for (size_t i = 0; i < ingest::periods_per_family_max; ++i) {
        ASSERT_TRUE(index.find("f0", noon - static_cast<int64_t>(i) * day_ns, noon));
    }
    EXPECT_EQ(index.find("f0", noon + day_ns, noon).error(), line_fault::too_many_periods);
    EXPECT_TRUE(index.find("f1", noon + day_ns, noon));
}

TEST_F(family_index_test, the_next_table_is_due_late_in_the_period_and_only_if_this_one_was_written) {
    for (const char* family : {"written", "hot", "idle"}) {
        make(ingest::need_of(**index.find(family, noon, noon)));
    }
    (*index.find("written", noon, noon))->is_written = true;
    (*index.find("hot", noon, noon))->is_written = true;
    EXPECT_THAT(index.due_ahead(noon), IsEmpty());
    const int64_t late = today + day_ns - hour_ns / 2;
    const auto tomorrow = base::tick_from_unix_ns(today + day_ns);
    EXPECT_THAT(index.due_ahead(late),
                ::testing::UnorderedElementsAre(ingest::table_need{"written", period_kind::day, tomorrow, 1},
                                                ingest::table_need{"hot", period_kind::day, tomorrow, 4}));
    make(index.due_ahead(late).front());
    EXPECT_EQ(index.due_ahead(late).size(), 1u);
}

TEST_F(family_index_test, a_sweep_forgets_what_was_never_made) {
    const auto id = make(ingest::need_of(**index.find("cpu", noon, noon)));
    const auto serial = (*index.find("mem", noon, noon))->serial;
    index.sweep(noon);
    EXPECT_EQ((*index.find("cpu", noon, noon))->id, id);
    EXPECT_NE((*index.find("mem", noon, noon))->serial, serial);
}

TEST_F(family_index_test, a_sweep_forgets_what_was_dropped) {
    const auto index_of = [&](const std::string& family) { return (*index.find(family, noon, noon))->index; };
    const auto id = made_for("cpu", noon);
    made_for("mem", noon);
    const auto freed = index_of("cpu");
    drop(id);
    index.sync();
    index.sweep(noon);
    EXPECT_EQ(index.families_count(), 1u);
    EXPECT_EQ(index_of("disk"), freed) << "its place is free";
    EXPECT_EQ(name_of("CPU"), "CPU20261116") << "and so is its name";
}

TEST_F(family_index_test, dropped_periods_do_not_count_as_periods) {
    std::vector<base::table_id> made;
    for (size_t i = 0; i < ingest::periods_per_family_max; ++i) {
        made.push_back(made_for("cpu", noon - static_cast<int64_t>(i) * hour_ns * 24));
    }
    EXPECT_EQ(index.find("cpu", noon + day_ns, noon).error(), line_fault::too_many_periods);
    for (const auto id : made) {
        drop(id);
    }
    index.sync();
    index.sweep(noon);
    EXPECT_TRUE(index.find("cpu", noon + day_ns, noon));
}

TEST_F(family_index_test, points_that_are_refused_leave_no_family_behind) {
    ASSERT_TRUE(catalog.apply(tables::retention_edit("us", {.name = "cpu", .keep_ticks = base::ticks_per_second})));
    EXPECT_EQ(index.find("cpu", noon - 9 * day_ns, noon).error(), line_fault::point_expired);
    EXPECT_EQ(index.families_count(), 0u);
}

TEST_F(family_index_test, all_series_together_are_bounded_and_the_large_families_notice_first) {
    ingest::family_index few(catalog, {.account = "us", .series_max = 100});
    auto* large = *few.find("large", noon, noon);
    uint64_t hash = 1;
    size_t admitted = 0;
    while (few.admit_series(*large, hash++)) {
        ++admitted;
    }
    EXPECT_EQ(admitted, 50u);
    EXPECT_TRUE(few.admit_series(*large, 1)) << "one that it has";
    auto* small = *few.find("small", noon, noon);
    for (uint64_t i = 0; i < 20; ++i) {
        EXPECT_TRUE(few.admit_series(*small, hash++)) << "others are not to suffer for it";
    }
    few.sweep(noon); // nobody made them
    EXPECT_TRUE(few.admit_series(**few.find("large", noon, noon), hash)) << "what is given back can be used again";
}

TEST_F(family_index_test, a_policy_gives_the_period_and_says_what_is_too_old) {
    ASSERT_TRUE(catalog.apply(tables::retention_edit(
        "us", {.name = "cpu", .period = tables::period_kind::hour, .keep_ticks = 2 * 3600 * base::ticks_per_second})));
    const auto found = index.find("cpu", noon, noon);
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)->end_ns - (*found)->start_ns, hour_ns);
    EXPECT_TRUE(index.find("cpu", noon - 2 * hour_ns, noon));
    EXPECT_EQ(index.find("cpu", noon - 4 * hour_ns, noon).error(), ingest::line_fault::point_expired);
    EXPECT_TRUE(index.find("mem", noon - 4 * hour_ns, noon)) << "of another family";
}

} // namespace

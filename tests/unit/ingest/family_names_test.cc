#include "ingest/core/family_names.hh"

#include <set>

#include <gtest/gtest.h>

namespace {

using tables::period_kind;

base::tick at(std::string_view text) {
    return *base::parse_time(text);
}

bool none_taken(std::string_view) {
    return false;
}

TEST(family_names, a_simple_name_is_its_own_stem) {
    for (std::string_view family : {"cpu", "a", "CPU", "disk0", "net2eth"}) {
        EXPECT_EQ(ingest::choose_stem(family, none_taken), family);
    }
}

TEST(family_names, a_name_that_loses_something_has_a_hash) {
    for (std::string_view family : {"disk-io", "5min", "größe", "日本", "", "a b", "_x"}) {
        const auto stem = ingest::choose_stem(family, none_taken);
        EXPECT_EQ(stem, ingest::hashed_stem(family));
        EXPECT_TRUE(tables::check_table_name(ingest::table_name(stem, period_kind::month, at("2026-11-16")))) << stem;
    }
    EXPECT_TRUE(ingest::hashed_stem("disk-io").starts_with("diskiox"));
    EXPECT_TRUE(ingest::hashed_stem("5min").starts_with("f5minx"));
    EXPECT_NE(ingest::hashed_stem("disk-io"), ingest::hashed_stem("disk.io"));
}

TEST(family_names, no_two_families_share_a_stem) {
    std::set<std::string> taken;
    auto is_taken = [&](std::string_view stem) { return taken.contains(std::string(stem)); };
    const auto hash_of_another = ingest::hashed_stem("disk-io");
    for (std::string_view family :
         {std::string_view("cpu"), std::string_view("CPU"), std::string_view("Cpu"), std::string_view(hash_of_another),
          std::string_view("disk-io"), std::string_view("diskio"), std::string_view("disk_io")}) {
        const auto stem = ingest::choose_stem(family, is_taken);
        EXPECT_TRUE(taken.insert(ingest::lower_stem(stem)).second) << family << " " << stem;
    }
}

TEST(family_names, long_names_are_shortened_to_the_rule) {
    const std::string name(300, 'n');
    for (auto p : {period_kind::hour, period_kind::day, period_kind::week, period_kind::month}) {
        const auto table = ingest::table_name(ingest::choose_stem(name, none_taken), p, at("2026-11-16"));
        EXPECT_TRUE(tables::check_table_name(table)) << table;
        const auto fits = name.substr(0, ingest::stem_bytes_max);
        EXPECT_EQ(ingest::choose_stem(fits, none_taken), fits);
        EXPECT_TRUE(tables::check_table_name(ingest::table_name(fits, p, at("2026-11-16"))));
    }
    EXPECT_NE(ingest::choose_stem(name, none_taken), ingest::choose_stem(name + "n", none_taken));
}

TEST(family_names, tables_are_named_after_the_start_of_their_period) {
    EXPECT_EQ(ingest::table_name("cpu", period_kind::day, at("2026-11-16T09:30:00Z")), "cpu20261116");
    EXPECT_EQ(ingest::table_name("cpu", period_kind::hour, at("2026-11-16T09:30:00Z")), "cpu2026111609");
    EXPECT_EQ(ingest::period_of_table("cpu20261116", "cpu", period_kind::day), at("2026-11-16"));
    EXPECT_EQ(ingest::period_of_table("CPU20261116", "cpu", period_kind::day), at("2026-11-16"));
    for (std::string_view table : {"cpu", "cp", "cpu2026111", "cpux20261116", "cpu20261316", "mem20261116"}) {
        EXPECT_EQ(ingest::period_of_table(table, "cpu", period_kind::day), std::nullopt) << table;
    }
    EXPECT_EQ(ingest::period_of_table("cpu2026111609", "cpu", period_kind::day), std::nullopt);
}

} // namespace

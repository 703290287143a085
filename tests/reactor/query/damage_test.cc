// Files that are damaged under a running store: what can be read is answered, what cannot is named, and nothing else is missing.

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/from_environment.hh"
#include "tests/reactor/query/query_store.hh"

namespace {

using namespace query_test;
using query::verb;
using ::testing::HasSubstr;

constexpr int64_t second = 1'000'000'000;
constexpr int64_t day = 86'400 * second;

stored_field integer(std::string name, int64_t value) {
    return {.name = std::move(name), .type = tables::value_type::int64, .integer = value};
}

class damage : public ::testing::Test {
protected:
    std::set<std::string> files(const std::string& folder) {
        std::set<std::string> paths;
        const auto names = store.disk().list(folder).get();
        for (const auto& name : names) {
            paths.insert(folder + '/' + name);
        }
        return paths;
    }

    void flip_in(const std::string& path, uint64_t at) {
        const auto file = store.disk().open(path, shard::open_mode::read).get();
        const auto size = file->size().get();
        file->close().get();
        store.disk().flip_bit(path, at % (size / 2), static_cast<unsigned>(at % 8)); // where the blocks are, most often
    }

    bool is_named(const stored_row& row, const std::vector<query::damaged_range>& ranges) {
        return std::ranges::any_of(ranges, [&](const query::damaged_range& d) {
            if (!d.times.contains(row.time_ns)) {
                return false;
            }
            if (row.from.kind == query::origin_kind::source) {
                return d.blob.starts_with(row.from.name + '/');
            }
            return d.table == store.engine().catalog().find(base::table_id{row.table})->name;
        });
    }

    query_store store;
};

TEST_F(damage, a_value_that_was_overwritten_does_not_come_back) {
    store.put_point("cpu", store.now_ns, {{"host", "a"}}, {integer("n", 1)});
    store.put_point("cpu", store.now_ns - second, {{"host", "a"}}, {integer("n", 2)});
    store.flush();
    const auto before = files("segments");
    store.put_point("cpu", store.now_ns, {{"host", "a"}}, {integer("n", 3)});
    store.flush();
    for (const auto& path : files("segments")) {
        if (!before.contains(path)) {
            flip_in(path, 40);
        }
    }
    const auto rows = ask(store, verb::range, {{"from", "cpu"}});
    ASSERT_EQ(rows.error, "");
    ASSERT_EQ(rows.rows.size(), 1u);
    EXPECT_THAT(rows.rows[0], HasSubstr("\"n\":2"));
    ASSERT_EQ(rows.facts.damage.size(), 1u);
    EXPECT_EQ(rows.facts.damage[0].table, "cpu20261116");
    EXPECT_EQ(rows.facts.damage[0].first_partition, "host=a");
    EXPECT_EQ(rows.facts.damage[0].times, (query::time_range{store.now_ns, store.now_ns + 100}));
    EXPECT_THAT(rows.facts.damage[0].why, HasSubstr("segments/"));
    const auto sums = ask(store, verb::range, {{"from", "cpu"}, {"agg", "max(n),count(*)"}});
    ASSERT_EQ(sums.error, "");
    EXPECT_THAT(sums.rows[0], HasSubstr("\"max(n)\":2"));
    EXPECT_EQ(sums.facts.damage, rows.facts.damage);
    const auto page =
        store.engine().scan({.table = base::table_id{store.rows()[0].table}, .ranges = {tables::key_range::all()}}).get();
    ASSERT_FALSE(page) << "who does not ask for the rest gets an error";
    EXPECT_THAT(page.error().detail, HasSubstr("bytes 0 to"));
}

TEST_F(damage, whatever_is_missing_is_in_a_range_that_is_named) {
    const auto seed = from_environment("DOWNTICK_SEED", std::random_device()());
    std::mt19937_64 random(seed);
    store.declare("net", {.spread = 3});
    for (int i = 0; i < 800; ++i) {
        const auto time = store.now_ns - static_cast<int64_t>(random() % 200) * second - static_cast<int64_t>(random() % 2) * day;
        const auto host = fmt::format("h{}", random() % 7);
        store.put_point(random() % 2 == 0 ? "cpu" : "net", time, {{"host", host}}, {integer("n", i)});
        store.put_record("web", store.now_ns - i * second, static_cast<uint8_t>(random() % 8),
                         fmt::format("record {} is one of many", i));
        if (random() % 80 == 0) {
            store.flush();
            store.seal();
        }
    }
    store.flush();
    store.seal();
    std::map<std::string, const stored_row*> all;
    for (const auto& row : store.rows()) {
        all[to_json(row)] = &row;
    }
    size_t missing_count = 0;
    const auto flip_one = [&](const std::string& folder) {
        const auto paths = files(folder);
        flip_in(*std::next(paths.begin(), static_cast<int64_t>(random() % paths.size())), random());
    };
    // A flip may fall between the blocks, or into a file that a merge has already replaced, so there are rounds until one is
    // felt.
    for (int round = 0; round < 5 || (missing_count == 0 && round < 100); ++round) {
        flip_one("segments");
        flip_one("segments");
        flip_one("blobs");
        const auto order = random() % 2 == 0 ? "asc" : "desc";
        const auto given = ask(store, verb::range, {{"from", "*"}, {"limit", "10000"}, {"order", order}});
        ASSERT_EQ(given.error, "") << "seed " << seed;
        const std::set<std::string> found(given.rows.begin(), given.rows.end());
        for (const auto& row : found) {
            ASSERT_TRUE(all.contains(row)) << row << " is not what was written, seed " << seed;
        }
        for (const auto& [json, row] : all) {
            if (!found.contains(json)) {
                ++missing_count;
                ASSERT_TRUE(is_named(*row, given.facts.damage)) << json << " is missing, seed " << seed;
            }
        }
    }
    EXPECT_GT(missing_count, 0u) << "nothing was damaged, seed " << seed;
}

} // namespace

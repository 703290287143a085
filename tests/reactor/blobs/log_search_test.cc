// Searches in buffers and blobs give what a walk over all records gives.

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/lib/running_logs.hh"

namespace {

using namespace testing_lib;

constexpr int64_t noon_ns = 1'794'830'400'000'000'000;
constexpr const char* words[] = {"accepted", "refused", "timeout",     "connection", "user",
                                 "session",  "GET",     "/index.html", "500",        "disk"};

std::string random_text(std::mt19937_64& random) {
    std::string text;
    for (unsigned i = 0; i < 3 + random() % 6; ++i) {
        text +=
            random() % 4 == 0 ? fmt::format("{} ", random() % 100'000) : fmt::format("{} ", words[random() % std::size(words)]);
    }
    if (random() % 50 == 0) {
        text += '\xff';
    }
    return text;
}

struct question {
    blobs::record_predicate where;
    blobs::scan_order order;
    size_t count;
};

question random_question(std::mt19937_64& random, const std::vector<sent_record>& all) {
    question q;
    q.order = random() % 2 == 0 ? blobs::scan_order::newest_first : blobs::scan_order::oldest_first;
    q.count = random() % 3 == 0 ? 1 + random() % 20 : SIZE_MAX;
    if (random() % 2 == 0) {
        q.where.first_ns = all[random() % all.size()].time_ns;
        q.where.last_ns = q.where.first_ns + static_cast<int64_t>(random() % 4'000'000'000'000);
    }
    if (random() % 3 == 0) {
        q.where.levels = static_cast<blobs::level_set>(random() & blobs::all_levels);
    }
    if (random() % 4 != 0) {
        const auto& from = all[random() % all.size()].text;
        const auto at = random() % from.size();
        auto needle = random() % 5 == 0 ? fmt::format("absent{}", random() % 100) : from.substr(at, 1 + random() % 12);
        q.where.texts.push_back({.test = blobs::text_test::kind::contains, .argument = std::move(needle)});
    }
    return q;
}

bool matches(const question& q, const sent_record& r) {
    const auto& w = q.where;
    return r.time_ns >= w.first_ns && r.time_ns <= w.last_ns && (w.levels & blobs::level_bit(r.level)) != 0 &&
           std::ranges::all_of(w.texts, [&](const auto& t) { return r.text.contains(t.argument); });
}

TEST(log_search, equals_a_walk_over_all_records) {
    const auto seed = std::random_device()();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    sim::sim_disk disk({.operations = sim::history::drop, .yields_max = 0});
    running_logs logs(disk, {.engine = {.shards_count = seastar::smp::count}, .logs = {.own_file_bytes = 20'000}});
    std::vector<sent_record> all;
    for (int batch = 0; batch < 40; ++batch) {
        std::vector<sent_record> records;
        for (int i = 0; i < 200; ++i) {
            records.push_back({"web", noon_ns + static_cast<int64_t>(random() % 20'000'000'000'000),
                               static_cast<uint8_t>(random() % 9), random_text(random)});
        }
        ASSERT_TRUE(logs.append(records));
        all.insert(all.end(), records.begin(), records.end());
        if (batch % 12 == 11) {
            ASSERT_TRUE(logs.seal());
        }
    }
    std::ranges::sort(all);
    for (int i = 0; i < 1'000; ++i) {
        const auto q = random_question(random, all);
        SCOPED_TRACE(fmt::format("question {}", i));
        std::vector<sent_record> expected;
        std::ranges::copy_if(all, std::back_inserter(expected), [&](const auto& r) { return matches(q, r); });
        auto found = logs.search("web", q.where, q.order, q.count);
        ASSERT_TRUE(found) << base::to_string(found.error());
        std::ranges::sort(*found);
        if (q.count == SIZE_MAX) {
            ASSERT_EQ(*found, expected);
            continue;
        }
        // Each part gives its first ones: together they have the first ones of all, and nothing that does not match.
        ASSERT_TRUE(std::ranges::includes(expected, *found));
        const auto first = std::min(q.count, expected.size());
        const auto begin =
            q.order == blobs::scan_order::oldest_first ? expected.begin() : expected.end() - static_cast<ptrdiff_t>(first);
        for (auto at = begin; at != begin + static_cast<ptrdiff_t>(first); ++at) {
            ASSERT_TRUE(std::ranges::binary_search(*found, *at)) << "one of the first is missing";
        }
    }
}

TEST(log_search, what_is_nowhere_reads_next_to_nothing) {
    std::mt19937_64 random(7);
    sim::sim_disk disk({.operations = sim::history::drop, .yields_max = 0});
    running_logs logs(disk, {.engine = {.shards_count = 1, .log_file_bytes = 8 << 20}, .logs = {}});
    for (int batch = 0; batch < 100; ++batch) {
        std::vector<sent_record> records;
        for (int i = 0; i < 2'000; ++i) {
            records.push_back({"web", noon_ns + batch * 2'000 + i, 6,
                               fmt::format("user{} {} id={:016x}", random() % 1000, words[random() % 10], random())});
        }
        ASSERT_TRUE(logs.append(records));
    }
    ASSERT_TRUE(logs.seal());
    ASSERT_TRUE(logs.search("web", {.first_ns = 0, .last_ns = 0})); // opens nothing
    const auto before = logs->counters();
    blobs::record_predicate where;
    where.texts.push_back({.test = blobs::text_test::kind::contains, .argument = "nosuchthinganywhere"});
    auto found = logs.search("web", where);
    ASSERT_TRUE(found && found->empty());
    const auto& after = logs->counters();
    const auto raw = after.raw_bytes_total;
    EXPECT_EQ(after.blocks_read_total, before.blocks_read_total);
    EXPECT_LT(after.search_bytes_total - before.search_bytes_total, raw / 100);
}

TEST(log_search, a_pattern_with_braces_finds_the_same_before_and_after_sealing) {
    sim::sim_disk disk;
    running_logs logs(disk, {.engine = {.shards_count = 1}, .logs = {}});
    ASSERT_TRUE(logs.append({{"web", noon_ns, 6, R"(payload {"a":1} done)"}, {"web", noon_ns + 1, 6, "[7] nothing of it"}}));
    const auto count = [&](const char* pattern) {
        blobs::record_predicate where;
        where.texts.push_back({.test = blobs::text_test::kind::matches, .argument = pattern});
        return logs.search("web", where).value().size();
    };
    const std::vector<const char*> patterns{"{[^}]+}", R"({"a"|"b"}: fatal)", "[[:]1|7", "{02}|x{,1}|{\"a"};
    std::vector<size_t> before;
    std::ranges::transform(patterns, std::back_inserter(before), count);
    EXPECT_EQ(before, (std::vector<size_t>{1, 1, 2, 1}));
    ASSERT_TRUE(logs.seal());
    for (size_t i = 0; i < patterns.size(); ++i) {
        EXPECT_EQ(count(patterns[i]), before[i]) << patterns[i];
    }
}

} // namespace

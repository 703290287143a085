// Laws that hold for every filter, tried on many random ones.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "query/core/entity_matcher.hh"
#include "query/core/filter_parser.hh"
#include "query/core/key_range.hh"
#include "query/core/prune.hh"
#include "tables/core/key.hh"
#include "tables/core/segment/segment_builder.hh"
#include "tests/unit/query/filter_oracle.hh"
#include "tests/unit/query/filter_text.hh"
#include "tests/unit/query/random_filter.hh"

namespace {

using query::dialect;
using query_test::filter_generator;
using query_test::filter_text;
using query_test::random_bits;

class filter_laws : public testing::TestWithParam<dialect> {
protected:
    uint64_t seed = std::random_device()();
    random_bits random{seed};
    filter_generator filters{random, GetParam()};

    std::vector<query_test::test_entity> random_entities(size_t count) {
        std::vector<query_test::test_entity> made;
        for (size_t i = 0; i < count; ++i) {
            made.push_back(query_test::random_entity(random));
        }
        return made;
    }
};

INSTANTIATE_TEST_SUITE_P(dialects, filter_laws, testing::Values(dialect::table_service, dialect::native));

TEST_P(filter_laws, printed_and_parsed_again_it_is_the_same) {
    for (int i = 0; i < 5'000; ++i) {
        const auto made = filters.make();
        const auto text = filter_text(made, GetParam());
        const auto parsed = query::parse_filter(text, GetParam());
        ASSERT_TRUE(parsed) << "seed " << seed << ": " << text << ": " << parsed.error().message;
        ASSERT_EQ(*parsed, made) << "seed " << seed << ": " << text << " became " << filter_text(*parsed);
    }
}

TEST_P(filter_laws, the_program_and_the_plain_meaning_agree) {
    const auto entities = random_entities(500);
    size_t matches_count = 0;
    constexpr size_t filters_count = 5'000;
    constexpr size_t rows_each = 24;
    for (size_t i = 0; i < filters_count; ++i) {
        const auto made = filters.make();
        const auto program = query::program::compile(made);
        ASSERT_TRUE(program) << "seed " << seed << ": " << filter_text(made) << ": " << program.error().message;
        query::entity_matcher matcher(*program);
        for (size_t k = 0; k < rows_each; ++k) {
            const auto& entity = entities[random() % entities.size()];
            const bool expected = query_test::oracle_matches(made, entity.view());
            ASSERT_EQ(matcher.matches(entity.view()), expected) << "seed " << seed << ": " << filter_text(made);
            matches_count += expected;
        }
    }
    EXPECT_GT(matches_count, filters_count * rows_each / 10) << "the rows and the filters have little to do with each other";
    EXPECT_LT(matches_count, filters_count * rows_each * 9 / 10);
}

TEST_P(filter_laws, a_row_that_matches_lies_in_the_key_ranges) {
    const auto entities = random_entities(500);
    size_t narrowed_count = 0;
    size_t matches_count = 0;
    for (int i = 0; i < 3'000; ++i) {
        const auto made = filters.make();
        const auto ranges = query::key_ranges_of(made);
        for (size_t k = 0; k < ranges.size(); ++k) {
            ASSERT_FALSE(ranges[k].is_empty()) << "seed " << seed << ": " << filter_text(made);
            ASSERT_TRUE(k == 0 || ranges[k - 1].to < ranges[k].from) << "seed " << seed << ": " << filter_text(made);
        }
        narrowed_count += ranges != std::vector{query::key_range{}};
        for (int k = 0; k < 20; ++k) {
            const auto row = entities[random() % entities.size()].view();
            const auto holds_row = [&row](const query::key_range& r) { return r.contains(row.partition_key, row.row_key); };
            if (query_test::oracle_matches(made, row)) {
                ++matches_count;
                ASSERT_EQ(std::ranges::count_if(ranges, holds_row), 1)
                    << "seed " << seed << ": " << row.partition_key << "/" << row.row_key << " of " << filter_text(made);
            }
        }
    }
    EXPECT_GT(narrowed_count, 300u);
    EXPECT_GT(matches_count, 1'000u);
}

// The exact statistics of a block of rows, and sometimes none.
class block_stats : public query::stats_source {
public:
    explicit block_stats(const std::vector<query_test::test_entity>& rows) : _rows(rows) {}

    std::optional<query::property_stats> find(const query::subject& s) const override {
        if (s.name == "b") {
            return std::nullopt;
        }
        auto& columns = _columns[s];
        columns.clear();
        bool is_missing = false;
        for (const auto& row : _rows) {
            const auto found = query_test::value_of(row.view(), s);
            is_missing |= !found;
            if (found) {
                add(columns, *found);
            }
        }
        return query::property_stats{columns, is_missing};
    }

private:
    static bool is_nan(const tables::value& v) { return v.type() == tables::value_type::real && std::isnan(v.as_real()); }

    static void add(std::vector<query::column_stats>& columns, const tables::value& v) {
        auto at = std::ranges::find(columns, v.type(), [](const auto& c) { return c.min.type(); });
        if (at == columns.end()) {
            columns.push_back({v, v, is_nan(v)});
            return;
        }
        at->may_hold_nan |= is_nan(v);
        if (is_nan(at->min) || query_test::compares(v, query::comparison::lt, at->min)) {
            at->min = v;
        }
        if (is_nan(at->max) || query_test::compares(v, query::comparison::gt, at->max)) {
            at->max = v;
        }
    }

    const std::vector<query_test::test_entity>& _rows;
    mutable std::map<query::subject, std::vector<query::column_stats>> _columns;
};

TEST_P(filter_laws, a_block_with_a_match_is_never_pruned) {
    size_t pruned_count = 0;
    for (int i = 0; i < 300; ++i) {
        const auto rows = random_entities(1 + random() % 4);
        const block_stats stats(rows);
        for (int k = 0; k < 20; ++k) {
            const auto made = filters.make();
            const bool has_match =
                std::ranges::any_of(rows, [&](const auto& row) { return query_test::oracle_matches(made, row.view()); });
            const bool can_match = query::can_match(made, stats);
            ASSERT_TRUE(can_match || !has_match) << "seed " << seed << ": " << filter_text(made);
            pruned_count += !can_match;
        }
    }
    EXPECT_GT(pruned_count, 300u) << "nothing is ever pruned";
}

// One block of a segment, as it is written and opened again.
tables::segment_view segment_of(const std::vector<query_test::test_entity>& rows) {
    std::map<std::pair<std::string, std::string>, const query_test::test_entity*> by_key;
    for (const auto& row : rows) {
        const auto number = std::to_string(by_key.size());
        by_key.emplace(std::pair(tables::collate(row.view().partition_key), tables::collate(row.view().row_key) + number), &row);
    }
    tables::segment_builder builder({.table = base::table_id{1}});
    std::string file;
    const auto drain = [&] {
        while (auto bytes = builder.step()) {
            file += *bytes;
        }
    };
    for (const auto& [key, row] : by_key) {
        builder.add({key.first, key.second, tables::row_kind::put, row->view().timestamp, row->view().properties});
        drain();
    }
    builder.finish();
    drain();
    const auto end = std::string_view(file).substr(file.size() - tables::segment_layout::trailer_bytes);
    const auto trailer = tables::segment_trailer::parse(end, file.size()).value();
    return tables::segment_view::open(trailer, std::string_view(file).substr(trailer.footer.offset, trailer.footer.size)).value();
}

TEST_P(filter_laws, nor_is_a_block_of_a_segment) {
    size_t pruned_count = 0;
    for (int i = 0; i < 100; ++i) {
        const auto rows = random_entities(1 + random() % 4);
        const auto segment = segment_of(rows);
        ASSERT_EQ(segment.blocks_count(), 1u);
        for (int k = 0; k < 40; ++k) {
            const auto made = filters.make();
            const auto program = query::program::compile(made);
            ASSERT_TRUE(program);
            const bool has_match =
                std::ranges::any_of(rows, [&](const auto& row) { return query_test::oracle_matches(made, row.view()); });
            const bool can_match = query::entity_matcher(*program).can_match(segment, 0);
            ASSERT_TRUE(can_match || !has_match) << "seed " << seed << ": " << filter_text(made);
            pruned_count += !can_match;
        }
    }
    EXPECT_GT(pruned_count, 100u) << "nothing is ever pruned";
}

} // namespace

// Laws that hold for every filter, tried on many random ones.
#include <gtest/gtest.h>

#include "query/core/entity_matcher.hh"
#include "query/core/filter_parser.hh"
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
};

INSTANTIATE_TEST_SUITE_P(dialects, filter_laws, testing::Values(dialect::table_service, dialect::native));

TEST_P(filter_laws, printed_and_parsed_again_it_is_the_same) {
    for (int i = 0; i < 10'000; ++i) {
        const auto made = filters.make();
        const auto text = filter_text(made);
        const auto parsed = query::parse_filter(text, GetParam());
        ASSERT_TRUE(parsed) << "seed " << seed << ": " << text << ": " << parsed.error().message;
        ASSERT_EQ(*parsed, made) << "seed " << seed << ": " << text << " became " << filter_text(*parsed);
    }
}

TEST_P(filter_laws, the_program_and_the_plain_meaning_agree) {
    std::vector<query_test::test_entity> entities;
    for (int i = 0; i < 500; ++i) {
        entities.push_back(query_test::random_entity(random));
    }
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

} // namespace

#include "query/core/native/series_index.hh"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/spread.hh"
#include "query/core/filter_parser.hh"
#include "query/core/native/row_matcher.hh"
#include "tables/core/family/series.hh"
#include "tables/core/key.hh"

namespace {

using namespace query;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

using tag_set = std::map<std::string, std::string>;

std::string key_of(const tag_set& tags, std::optional<unsigned> bucket = std::nullopt) {
    std::vector<tables::tag> views;
    for (const auto& [name, value] : tags) {
        views.push_back({name, value});
    }
    std::string key;
    EXPECT_TRUE(tables::append_series(views, key));
    if (bucket) {
        base::append_spread_suffix(*bucket, key);
    }
    return tables::collate(key);
}

filter parsed(const std::string& text) {
    return parse_filter(text, dialect::native).value();
}

std::optional<std::vector<std::string_view>> found(const series_index& index, const std::string& where, size_t count_max = 1000) {
    return index.find(parsed(where), count_max);
}

class hosts : public ::testing::Test {
protected:
    hosts() {
        for (const auto* host : {"c", "a", "b"}) {
            index.add(key_of({{"dc", "east"}, {"host", host}}));
        }
    }
    const std::string a = key_of({{"dc", "east"}, {"host", "a"}});
    const std::string b = key_of({{"dc", "east"}, {"host", "b"}});
    const std::string c = key_of({{"dc", "east"}, {"host", "c"}});
    series_index index{1};
};

TEST_F(hosts, a_tag_leads_to_its_series) {
    EXPECT_THAT(found(index, "host eq 'b'"), Optional(ElementsAre(b)));
    EXPECT_THAT(found(index, "tag.host eq 'b'"), Optional(ElementsAre(b)));
    EXPECT_THAT(found(index, "host eq 'z'"), Optional(IsEmpty()));
}

TEST_F(hosts, the_narrowest_condition_of_several_is_taken) {
    EXPECT_THAT(found(index, "dc eq 'east' and host eq 'b' and usage gt 5"), Optional(ElementsAre(b)));
}

TEST_F(hosts, either_of_two_in_key_order_and_once) {
    EXPECT_THAT(found(index, "host eq 'c' or host eq 'a' or host eq 'c'"), Optional(ElementsAre(a, c)));
}

TEST_F(hosts, what_says_nothing_about_tags_finds_nothing) {
    for (const auto* where : {"", "usage gt 5", "host ne 'a'", "not (host eq 'a')", "host eq 'a' or usage gt 5",
                              "field.host eq 'a'", "family eq 'cpu'", "level eq 'error'", "host eq 5"}) {
        EXPECT_EQ(found(index, where), std::nullopt) << where;
        EXPECT_FALSE(series_index::can_find(parsed(where))) << where;
    }
}

TEST_F(hosts, more_than_wanted_are_none) {
    EXPECT_THAT(found(index, "dc eq 'east'", 3), Optional(ElementsAre(a, b, c)));
    EXPECT_EQ(found(index, "dc eq 'east'", 2), std::nullopt);
}

TEST_F(hosts, a_series_that_comes_again_changes_nothing) {
    const auto bytes = index.bytes();
    index.add(a);
    EXPECT_EQ(index.size(), 3u);
    EXPECT_EQ(index.bytes(), bytes);
    EXPECT_THAT(found(index, "host eq 'a'"), Optional(ElementsAre(a)));
}

TEST_F(hosts, a_name_that_a_series_lacks_may_be_its_field) {
    const auto other = key_of({{"dc", "east"}});
    index.add(other);
    EXPECT_THAT(found(index, "host eq 'b'"), Optional(ElementsAre(other, b)));
    EXPECT_THAT(found(index, "tag.host eq 'b'"), Optional(ElementsAre(b)));
}

TEST(series_index, long_lists_are_whole) {
    series_index index(1);
    std::vector<std::string> keys;
    for (int i = 0; i < 5000; ++i) {
        keys.push_back(key_of({{"dc", i % 2 == 0 ? "even" : "odd"}, {"host", fmt::format("{:05}", i)}}));
        index.add(keys.back());
    }
    const auto even = found(index, "dc eq 'even'", 5000);
    ASSERT_TRUE(even);
    ASSERT_EQ(even->size(), 2500u);
    for (size_t i = 0; i < even->size(); ++i) {
        EXPECT_EQ((*even)[i], keys[2 * i]);
    }
}

// Every series of which a matcher does not say no is among the candidates.
class random_series {
public:
    random_series(uint64_t seed, unsigned spread) : _random(seed), _spread(spread) {}

    std::string some_key() {
        if (roll(20) == 0) {
            return tables::collate(some({"", "no series", "host=a,host=b", "%zz=1", "host", "~00"}));
        }
        tag_set tags;
        for (const auto* name : {"host", "dc", "u", "time", "family", "level", "\U0001F600 ,"}) {
            if (roll(3) != 0) {
                tags[name] = some_value();
            }
        }
        return key_of(tags, _spread > 1 ? std::optional(static_cast<unsigned>(roll(_spread))) : std::nullopt);
    }

    std::string some_filter(int depth) {
        if (depth > 0 && roll(4) != 0) {
            const auto one = some_filter(depth - 1);
            return roll(6) == 0 ? fmt::format("not ({})", one)
                                : fmt::format("({}) {} ({})", one, some({"and", "or"}), some_filter(depth - 1));
        }
        const auto name = some({"host", "dc", "u", "family", "\"\U0001F600 ,\"", "missing", "tag.time", "tag.level"});
        const auto scope = name.starts_with("tag.") ? "" : some({"", "", "tag.", "field."});
        switch (roll(8)) {
        case 0: return fmt::format("{}{} ne '{}'", scope, name, some_value());
        case 1: return fmt::format("contains({}{},'a')", scope, name);
        case 2: return some({"true", "false", "u gt 5", "time ge 5L", "level eq 'error'"});
        default: return fmt::format("{}{} eq '{}'", scope, name, some_value());
        }
    }

private:
    std::string some_value() { return some({"a", "b", "c,d", "e=f%", "\U0001F600", "error", "cpu"}); }
    std::string some(std::initializer_list<const char*> of) { return *(of.begin() + roll(of.size())); }
    uint64_t roll(uint64_t sides) { return _random() % sides; }

    std::mt19937_64 _random;
    unsigned _spread;
};

void compare_with_matcher(uint64_t seed, unsigned spread) {
    random_series random(seed, spread);
    series_index index(spread);
    std::set<std::string> keys;
    const origin family{origin_kind::family, "cpu"};
    size_t found_count = 0;
    size_t told_count = 0; // of them, where the digest says that there are none
    for (int i = 0; i < 2'000; ++i) {
        if (i % 4 == 0) {
            const auto key = random.some_key();
            index.add(key);
            keys.insert(key);
        }
        const auto text = random.some_filter(3);
        const auto where = parsed(text);
        const auto candidates = index.find(where, SIZE_MAX);
        ASSERT_TRUE(!candidates || series_index::can_find(where)) << text;
        if (!candidates) {
            continue;
        }
        ++found_count;
        ASSERT_TRUE(candidates->empty() || index.digest()->may_have(where)) << text;
        told_count += index.digest()->may_have(where) ? 0 : 1;
        ASSERT_TRUE(std::ranges::is_sorted(*candidates));
        const auto compiled = program::compile(where).value();
        row_matcher matcher(compiled, family, spread);
        for (const auto& key : keys) {
            if (matcher.enter(tables::uncollate(key)) != verdict::no) {
                ASSERT_TRUE(std::ranges::binary_search(*candidates, key)) << key << " where " << text;
            }
        }
    }
    EXPECT_EQ(index.size(), keys.size());
    EXPECT_GT(found_count, 200u);
    EXPECT_GT(told_count, 10u);
}

TEST(series_index, has_every_series_that_can_match) {
    const auto seed = std::random_device()();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    compare_with_matcher(seed, 1);
    compare_with_matcher(seed + 1, 3);
}

TEST(series_digest, an_empty_one_has_nothing_by_tag) {
    const series_digest digest;
    EXPECT_FALSE(digest.may_have(parsed("host eq 'a'")));
    EXPECT_TRUE(digest.may_have(parsed("usage gt 5")));
    EXPECT_TRUE(digest.may_have(parsed("host eq 'a' or usage gt 5")));
    EXPECT_FALSE(digest.may_have(parsed("host eq 'a' and usage gt 5")));
}

TEST(series_digest, knows_what_it_was_told_last) {
    series_digest digest;
    EXPECT_FALSE(digest.knows(0));
    digest.set_known(3);
    EXPECT_TRUE(digest.knows(3));
    EXPECT_FALSE(digest.knows(4));
    digest.set_known(2); // by one who read it before
    EXPECT_TRUE(digest.knows(3));
}

TEST_F(hosts, the_digest_says_that_a_value_is_nowhere) {
    EXPECT_TRUE(index.digest()->may_have(parsed("host eq 'b'")));
    EXPECT_FALSE(index.digest()->may_have(parsed("host eq 'z'")));
    EXPECT_FALSE(index.digest()->may_have(parsed("dc eq 'east' and host eq 'z'")));
    EXPECT_TRUE(index.digest()->may_have(parsed("not (host eq 'z')")));
}

TEST_F(hosts, the_digest_says_nothing_about_a_name_that_a_series_lacks) {
    index.add(key_of({{"dc", "east"}}));
    EXPECT_TRUE(index.digest()->may_have(parsed("host eq 'z'")));
    EXPECT_FALSE(index.digest()->may_have(parsed("tag.host eq 'z'")));
}

TEST(series_digest, few_tags_are_taken_for_others_however_many_there_are) {
    series_index index(1);
    size_t count = 0;
    for (const size_t upto : {100u, 1'000u, 30'000u}) {
        for (; count < upto; ++count) {
            index.add(key_of({{"host", std::to_string(count)}}));
        }
        size_t mistaken = 0;
        for (size_t i = 0; i < 10'000; ++i) {
            mistaken += index.digest()->may_have(parsed(fmt::format("host eq 'other{}'", i))) ? 1 : 0;
        }
        EXPECT_LT(mistaken, 300u) << upto;
        EXPECT_TRUE(index.digest()->may_have(parsed(fmt::format("host eq '{}'", upto - 1))));
    }
}

} // namespace

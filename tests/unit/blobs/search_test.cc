#include <gtest/gtest.h>
#include <re2/re2.h>

#include "blobs/core/blob_search.hh"
#include "tests/unit/blobs/sample_blob.hh"
#include "tests/unit/blobs/search_walk.hh"

namespace blobs {
namespace {

using test::owned_record;

class query_source {
public:
    query_source(const std::vector<owned_record>& records, uint64_t seed) : _records(records), _random(seed) {}

    record_predicate next() {
        record_predicate p;
        const auto& about = _records[_random.below(_records.size())];
        if (_random.below(4) == 0) {
            p.first_ns = about.order.time_ns;
        }
        if (_random.below(4) == 0) {
            p.last_ns = _records[_random.below(_records.size())].order.time_ns;
        }
        if (_random.below(8) == 0) {
            p.after = about.order;
        }
        if (_random.below(8) == 0) {
            p.before = _records[_random.below(_records.size())].order;
        }
        if (_random.below(5) == 0) {
            p.levels = static_cast<level_set>(_random.below(all_levels + 1));
        }
        if (_random.below(8) == 0) {
            p.host = _random.below(6) == 0 ? "nohost" : about.host;
        }
        if (_random.below(8) == 0) {
            p.app = about.app;
        }
        if (_random.below(6) == 0 && !about.fields.empty()) {
            std::vector<base::property> fields;
            const auto r = about.view(fields);
            for (const auto& f : r.fields) {
                if (f.value.type() == base::value_type::string) {
                    p.fields.push_back({std::string(f.name), std::string(f.value.as_string())});
                    break;
                }
            }
        }
        for (uint64_t i = _random.below(3); i != 0; --i) {
            p.texts.push_back(text(about));
        }
        return p;
    }

private:
    text_test text(const owned_record& about) {
        std::vector<base::property> fields;
        const auto r = about.view(fields);
        text_test t{.about = static_cast<text_test::subject>(_random.below(2)),
                    .test = static_cast<text_test::kind>(_random.below(5))};
        const auto subject = t.about == text_test::subject::text ? r.text : r.message;
        const size_t begin = subject.empty() ? 0 : _random.below(subject.size());
        const size_t size = _random.below(std::min<size_t>(subject.size() - begin, 40) + 1);
        t.argument = subject.substr(begin, size);
        switch (t.test) {
        case text_test::kind::starts_with: t.argument = subject.substr(0, size); break;
        case text_test::kind::ends_with: t.argument = subject.substr(subject.size() - size); break;
        case text_test::kind::equals: t.argument = subject; break;
        case text_test::kind::matches: t.argument = pattern(t.argument); break;
        default: break;
        }
        if (_random.below(6) == 0) {
            t.argument += t.test == text_test::kind::matches ? "absent[0-9]" : "absent1";
        }
        return t;
    }

    std::string pattern(std::string_view literal) {
        switch (_random.below(4)) {
        case 0: return re2::RE2::QuoteMeta(literal);
        case 1:
            return re2::RE2::QuoteMeta(literal.substr(0, literal.size() / 2)) + ".*" +
                   re2::RE2::QuoteMeta(literal.substr(literal.size() / 2 + literal.size() % 2));
        case 2: return "(" + re2::RE2::QuoteMeta(literal) + "|worker [a-f]+)";
        default: return "user (root|\\w+) from [0-9.]+";
        }
    }

    const std::vector<owned_record>& _records;
    test::record_source _random;
};

TEST(search, where_heads_are_enough_records_come_without_their_texts) {
    const auto records = test::record_source(7).records(200, 30);
    const auto file = test::make_blob(records);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob);
    const auto predicate = compiled_predicate::compile({});
    block_reader reader;
    blob_search search(*blob, *predicate, scan_order::oldest_first, reader, record_parts::heads);
    size_t at = 0;
    while (const auto wanted = search.next()) {
        ASSERT_TRUE(search.bring(test::bytes_of(file, *wanted)));
        for (bool more = true; more;) {
            more = *search.scan([&](const record& r) {
                const auto& sent = records[at++];
                EXPECT_TRUE(r.order == sent.order && r.level == sent.level && r.host == sent.host && r.app == sent.app);
                EXPECT_TRUE(r.text.empty() && r.message.empty() && r.fields.empty());
                return true;
            });
        }
    }
    EXPECT_EQ(at, records.size());
}

TEST(search, finds_what_a_walk_over_the_records_finds_on_ten_thousand_questions) {
    const uint64_t seed = 51;
    const auto records = test::record_source(seed).records(120, 30);
    query_source queries(records, seed);
    test::compare_with_a_walk(records, 1, 10'000 / test::questions_share, [&] { return queries.next(); });
}

TEST(search, finds_what_a_walk_finds_in_several_blocks) {
    const uint64_t seed = 54;
    auto records = test::record_source(seed).records(400, 30);
    for (size_t i = 50; i < records.size(); i += 50) {
        records[i].text = "big " + std::string(block_raw_bytes_target / 2, 'y');
        records[i].message_begin = 0;
        records[i].message_size = 4;
        records[i].is_message_apart = false;
        records[i].fields.clear();
    }
    query_source queries(records, seed);
    test::compare_with_a_walk(records, 4, 600, [&] { return queries.next(); });
}

// Reads all that a search for the needle reads; how much that is.
uint64_t bytes_read_for(const std::string& needle, const blob_view& blob, std::string_view file) {
    record_predicate p;
    p.texts.push_back({text_test::subject::message, text_test::kind::contains, needle});
    const auto predicate = compiled_predicate::compile(p);
    block_reader reader;
    blob_search search(blob, *predicate, scan_order::newest_first, reader);
    while (const auto wanted = search.next()) {
        EXPECT_TRUE(search.bring(test::bytes_of(file, *wanted)));
        while (*search.scan([](const record&) { return true; })) {
        }
    }
    return search.bytes_read();
}

TEST(search, an_absent_word_reads_next_to_nothing) {
    const auto records = test::record_source(52).records(40'000, 0);
    const auto file = test::make_blob(records);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob);
    for (const char* needle : {"absentneedle", "kernel panic", "0badcafe-1234-5678-9abc-def012345678"}) {
        EXPECT_LT(bytes_read_for(needle, *blob, file) * 100, file.size()) << needle;
    }
}

// It may be a part of longer ones, so only its middle can be asked for, and filters have few bits for that.
TEST(search, an_absent_number_leaves_out_most_blocks) {
    const auto file = test::make_blob(test::record_source(52).records(40'000, 0));
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob);
    uint64_t bytes = 0;
    constexpr uint64_t needles_count = 20;
    for (uint64_t i = 0; i < needles_count; ++i) {
        bytes += bytes_read_for(std::to_string(9'073'518'264 + i * 13'370'117), *blob, file);
    }
    EXPECT_LT(bytes, needles_count * file.size() / 2);
}

TEST(search, the_newest_few_read_one_block) {
    const auto records = test::record_source(53).records(20'000, 0);
    const auto file = test::make_blob(records);
    const auto blob = test::open_blob(file);
    const auto predicate = compiled_predicate::compile({});
    block_reader reader;
    blob_search search(*blob, *predicate, scan_order::newest_first, reader);
    size_t found = 0;
    while (const auto wanted = search.next()) {
        ASSERT_TRUE(search.bring(test::bytes_of(file, *wanted)));
        while (*search.scan([&](const record& r) {
            EXPECT_EQ(r.order.sequence, records.size() - found);
            return ++found < 10;
        })) {
        }
    }
    EXPECT_EQ(found, 10u);
    EXPECT_EQ(search.blocks_read(), 1u);
}

TEST(search, a_pattern_that_is_none_is_refused_with_a_sentence) {
    record_predicate p;
    p.texts.push_back({text_test::subject::message, text_test::kind::matches, "(open"});
    const auto refused = compiled_predicate::compile(p);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::errc::invalid_argument);
    EXPECT_NE(refused.error().detail.find("(open"), std::string::npos);
    p.texts[0].argument = std::string(pattern_bytes_max + 1, 'a');
    EXPECT_FALSE(compiled_predicate::compile(p));
}

} // namespace
} // namespace blobs

#include "tests/unit/blobs/search_walk.hh"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "blobs/core/blob_search.hh"
#include "blobs/core/buffer_search.hh"
#include "tests/unit/blobs/sample_blob.hh"

namespace blobs::test {
namespace {

std::vector<uint64_t> found_in_blob(const blob_view& blob, std::string_view file, const compiled_predicate& predicate,
                                    scan_order order, size_t limit, record_parts parts) {
    static block_reader reader;
    std::vector<uint64_t> found;
    blob_search search(blob, predicate, order, reader, parts);
    while (const auto wanted = search.next()) {
        EXPECT_TRUE(search.bring(bytes_of(file, *wanted)));
        for (bool more = true; more;) {
            const auto scanned = search.scan([&](const record& r) {
                found.push_back(r.order.sequence);
                return found.size() < limit;
            });
            more = scanned && *scanned;
        }
    }
    return found;
}

std::vector<uint64_t> found_in_buffer(record_buffer& buffer, const compiled_predicate& predicate, scan_order order,
                                      size_t limit) {
    std::vector<uint64_t> found;
    buffer_search search(buffer, predicate, order);
    while (search.scan([&](const record& r) {
        found.push_back(r.order.sequence);
        return found.size() < limit;
    })) {
    }
    return found;
}

// The plain meaning of a predicate, without anything of the code under test.
bool holds(const record_predicate& p, const std::vector<std::unique_ptr<re2::RE2>>& patterns, const record& r) {
    if (r.order.time_ns < p.first_ns || r.order.time_ns > p.last_ns || (p.levels >> r.level & 1) == 0 ||
        (p.host && *p.host != r.host) || (p.app && *p.app != r.app) || (p.after && r.order <= *p.after) ||
        (p.before && r.order >= *p.before)) {
        return false;
    }
    for (size_t i = 0; i < p.texts.size(); ++i) {
        const auto& t = p.texts[i];
        const auto subject = t.about == text_test::subject::text ? r.text : r.message;
        const bool passes = t.test == text_test::kind::contains      ? subject.find(t.argument) != std::string_view::npos
                            : t.test == text_test::kind::starts_with ? subject.starts_with(t.argument)
                            : t.test == text_test::kind::ends_with   ? subject.ends_with(t.argument)
                            : t.test == text_test::kind::equals      ? subject == t.argument
                                                                     : re2::RE2::PartialMatch(subject, *patterns[i]);
        if (!passes) {
            return false;
        }
    }
    return std::ranges::all_of(p.fields, [&](const field_test& f) {
        return std::ranges::any_of(r.fields, [&](const auto& field) {
            return field.name == f.name && field.value.type() == base::value_type::string && field.value.as_string() == f.value;
        });
    });
}

} // namespace

void compare_with_a_walk(const std::vector<owned_record>& records, size_t blocks_min, int questions,
                         const std::function<record_predicate()>& next) {
    const auto file = make_blob(records);
    const auto blob = open_blob(file);
    ASSERT_TRUE(blob);
    ASSERT_GE(blob->blocks().size(), blocks_min);
    record_buffer buffer;
    std::vector<base::property> fields;
    for (const auto& r : records) {
        add_to(buffer, r.view(fields));
    }
    size_t matches = 0;
    for (int q = 0; q < questions; ++q) {
        SCOPED_TRACE(q);
        const auto wanted = next();
        const auto predicate = compiled_predicate::compile(wanted);
        if (!predicate) {
            continue; // not UTF-8
        }
        std::vector<std::unique_ptr<re2::RE2>> patterns;
        for (const auto& t : wanted.texts) {
            patterns.push_back(std::make_unique<re2::RE2>(t.test == text_test::kind::matches ? t.argument : ""));
        }
        std::vector<uint64_t> expected;
        for (const auto& r : records) {
            if (holds(wanted, patterns, r.view(fields))) {
                expected.push_back(r.order.sequence);
            }
        }
        matches += expected.size();
        const auto order = static_cast<scan_order>(q % 2);
        const size_t limit = q % 5 == 0 ? 3 : SIZE_MAX;
        if (order == scan_order::newest_first) {
            std::ranges::reverse(expected);
        }
        expected.resize(std::min(expected.size(), limit));
        ASSERT_EQ(found_in_blob(*blob, file, *predicate, order, limit, record_parts::all), expected);
        ASSERT_EQ(found_in_blob(*blob, file, *predicate, order, limit, record_parts::heads), expected);
        ASSERT_EQ(found_in_buffer(buffer, *predicate, order, limit), expected);
    }
    EXPECT_GT(matches, static_cast<size_t>(questions)) << "the questions ask for nothing";
}

} // namespace blobs::test

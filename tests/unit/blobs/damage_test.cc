#include <gtest/gtest.h>

#include "blobs/core/blob_search.hh"
#include "tests/unit/blobs/sample_blob.hh"

namespace blobs {
namespace {

// Records large enough for two blocks, in a file small enough to flip each of its bytes.
std::vector<test::owned_record> two_blocks() {
    auto records = test::record_source(21).records(24, 20);
    records[12].text = std::string(block_raw_bytes_target, 'x');
    records[12].fields.clear();
    return records;
}

// How many records a search for all of them finds, and how many of them are not as they were.
struct reading {
    size_t found = 0;
    size_t wrong = 0;
    size_t errors = 0;
};

reading read_all(std::string_view file, const std::vector<test::owned_record>& records, const compiled_predicate& predicate) {
    reading result;
    const auto blob = test::open_blob(file);
    if (!blob) {
        result.errors = 1;
        return result;
    }
    block_reader reader;
    std::vector<base::property> fields;
    blob_search search(*blob, predicate, scan_order::oldest_first, reader);
    while (const auto wanted = search.next()) {
        result.errors += search.bring(test::bytes_of(file, *wanted)) ? 0 : 1;
        for (bool more = true; more;) {
            const auto scanned = search.scan([&](const record& r) {
                ++result.found;
                const auto& expected = records[r.order.sequence - 1];
                result.wrong += same_content(r, expected.view(fields)) ? 0 : 1;
                return true;
            });
            result.errors += scanned ? 0 : 1;
            more = scanned && *scanned;
        }
    }
    return result;
}

TEST(blob_damage, every_flipped_byte_is_noticed_and_costs_at_most_its_block) {
    const auto records = two_blocks();
    auto file = test::make_blob(records);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob);
    ASSERT_EQ(blob->blocks().size(), 2u);
    const auto predicate = compiled_predicate::compile({});
    const uint64_t blocks_end = blob->blocks().back().extent.end();
    for (size_t at = 0; at < file.size(); ++at) {
        file[at] = static_cast<char>(file[at] ^ 0x10);
        const auto result = read_all(file, records, *predicate);
        file[at] = static_cast<char>(file[at] ^ 0x10);
        ASSERT_EQ(result.wrong, 0u) << at;
        if (at >= blocks_end) {
            ASSERT_EQ(result.found, records.size()) << at;
            continue;
        }
        size_t lost = 0;
        for (const auto& block : blob->blocks()) {
            lost += at >= block.extent.offset && at < block.extent.end() ? block.facts.records_count : 0;
        }
        ASSERT_EQ(result.errors, 1u) << at;
        ASSERT_EQ(result.found, records.size() - lost) << at;
    }
}

TEST(blob_damage, a_damaged_filter_hides_nothing) {
    auto records = two_blocks();
    records[10].text = "the needleword is here";
    records[10].message_begin = 0;
    records[10].message_size = records[10].text.size();
    auto file = test::make_blob(records);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob);
    record_predicate wanted;
    wanted.texts.push_back({text_test::subject::message, text_test::kind::contains, "needleword"});
    const auto predicate = compiled_predicate::compile(wanted);
    const auto slice = blob->footer().slices.front();
    for (uint64_t at = slice.offset; at < slice.end(); at += 7) {
        file[at] = static_cast<char>(file[at] ^ 0x40);
        EXPECT_EQ(read_all(file, records, *predicate).found, 1u) << at;
        file[at] = static_cast<char>(file[at] ^ 0x40);
    }
}

TEST(blob_damage, a_file_cut_anywhere_is_refused) {
    const auto file = test::make_blob(test::record_source(3).records(50, 20));
    for (size_t size = 0; size < file.size(); ++size) {
        EXPECT_FALSE(test::open_blob(std::string_view(file).substr(0, size))) << size;
    }
}

TEST(blob_damage, blocks_of_another_file_do_not_pass) {
    const auto records = test::record_source(3).records(50, 20);
    const auto file = test::make_blob(records, 1);
    const auto other = test::make_blob(records, 2);
    const auto blob = test::open_blob(file);
    block_reader reader;
    ASSERT_TRUE(blob);
    EXPECT_FALSE(blob->open_block(0, test::bytes_of(other, blob->blocks()[0].extent), reader));
}

} // namespace
} // namespace blobs

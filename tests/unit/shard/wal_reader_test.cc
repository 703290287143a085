#include "shard/core/wal_reader.hh"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/lib/wal_image.hh"

namespace {

using namespace shard;
using testing_lib::wal_image;
using testing_lib::wal_read;
using why = wal_end::reason;

std::vector<uint64_t> sequences(const wal_read& read) {
    std::vector<uint64_t> firsts;
    for (const auto& record : read.records) {
        firsts.push_back(record.first);
    }
    return firsts;
}

std::vector<std::pair<uint64_t, uint64_t>> lost(const wal_read& read) {
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (const auto& damage : read.damages) {
        ranges.emplace_back(damage.first.value, damage.last.value);
    }
    return ranges;
}

using ranges = std::vector<std::pair<uint64_t, uint64_t>>;
using firsts = std::vector<uint64_t>;

// Three groups of two records; the third is the last thing written.
wal_image three_groups() {
    wal_image image;
    image.begin_file(1);
    for (int group = 0; group < 3; ++group) {
        image.append("first of group " + std::to_string(group));
        image.append("second of group " + std::to_string(group), 2);
        image.flush();
    }
    return image;
}

// Where each record of the image lies: found once, in the sound image.
struct extent {
    uint64_t begin, end;
};
std::vector<extent> extents_of(wal_image& image) {
    std::vector<extent> extents;
    auto& bytes = image.file();
    wal_scanner scanner(image.sources()[0].id.seed(), wal_head_bytes, bytes.size(), wal_scanner::payloads::check);
    scanner.feed(std::string_view(bytes).substr(wal_head_bytes));
    while (const auto found = scanner.next()) {
        extents.push_back({found->position, found->end()});
    }
    return extents;
}

TEST(wal_reader, records_come_back_in_order_across_groups_and_files) {
    auto image = three_groups();
    image.begin_file(2);
    image.append("in the second file");
    image.append("");
    const auto read = image.read();
    EXPECT_EQ(read.records, image.records());
    EXPECT_TRUE(read.damages.empty());
    EXPECT_EQ(read.end.why, why::open);
    EXPECT_EQ(read.end.next.value, 12u);
}

TEST(wal_reader, a_record_of_many_steps_comes_back) {
    wal_image image;
    image.begin_file(1);
    image.append(std::string(3'000'000, 'a'));
    image.append("small");
    image.append(std::string(wal_payload_bytes_max, 'b'));
    EXPECT_EQ(image.read().records, image.records());
}

TEST(wal_reader, a_log_without_records_ends_at_once) {
    wal_image image(5);
    image.begin_file(1);
    image.file().resize(1 << 20);
    const auto read = image.read();
    EXPECT_TRUE(read.records.empty());
    EXPECT_EQ(read.end, (wal_end{why::open, {0, wal_head_bytes}, {5}}));
}

TEST(wal_reader, an_end_mark_closes_the_log) {
    auto image = three_groups();
    image.append("", 0, record_kind::end_mark);
    image.flush();
    const auto read = image.read();
    EXPECT_EQ(read.records, image.records());
    EXPECT_EQ(read.end.why, why::closed);
}

// Every bit of the records (and some of the padding), one after the other. A record that is hit is lost, no other is, and it is
// never delivered changed. What was durable by the word of a later group is reported; the last group just ends earlier.
TEST(wal_reader, a_flipped_bit_costs_the_record_it_hits_and_no_other) {
    auto image = three_groups();
    const auto all = image.records();
    const auto extents = extents_of(image);
    ASSERT_EQ(extents.size(), all.size());
    for (size_t bit = wal_head_bytes * 8; bit < image.file().size() * 8; ++bit) {
        const auto holds = [&](extent e) { return bit / 8 >= e.begin && bit / 8 < e.end; };
        const auto hit = static_cast<size_t>(std::ranges::find_if(extents, holds) - extents.begin());
        if (hit == extents.size() && bit % 61 != 0) {
            continue;
        }
        auto expected = all;
        ranges damage;
        if (hit < 4) {
            damage = {{all[hit].first, all[hit].first + all[hit].sequences_count - 1}};
            expected.erase(expected.begin() + static_cast<ptrdiff_t>(hit));
        } else {
            expected.resize(hit);
        }
        image.file()[bit / 8] ^= static_cast<char>(1 << bit % 8);
        const auto read = image.read();
        image.file()[bit / 8] ^= static_cast<char>(1 << bit % 8);
        ASSERT_EQ(read.records, expected) << "bit " << bit;
        ASSERT_EQ(lost(read), damage) << "bit " << bit;
        ASSERT_EQ(read.end.why, hit == 4 ? why::torn : why::open) << "bit " << bit;
    }
}

TEST(wal_reader, after_an_orderly_stop_every_flipped_bit_of_a_record_is_damage) {
    auto image = three_groups();
    const auto extents = extents_of(image);
    image.append("", 0, record_kind::end_mark);
    image.flush();
    for (const auto& [begin, end] : extents) {
        for (size_t bit = begin * 8; bit < end * 8; ++bit) {
            image.file()[bit / 8] ^= static_cast<char>(1 << bit % 8);
            const auto read = image.read();
            image.file()[bit / 8] ^= static_cast<char>(1 << bit % 8);
            ASSERT_EQ(read.records.size(), 5u) << "bit " << bit;
            ASSERT_EQ(read.damages.size(), 1u) << "bit " << bit;
            ASSERT_EQ(read.end.why, why::closed) << "bit " << bit;
        }
    }
}

TEST(wal_reader, a_log_cut_anywhere_keeps_the_whole_records_before_the_cut) {
    auto image = three_groups();
    const auto all = image.records();
    const auto extents = extents_of(image);
    for (auto size = image.file().size(); size-- > wal_head_bytes;) {
        image.file().resize(size);
        const auto whole = std::ranges::count_if(extents, [&](auto e) { return e.end <= size; });
        const auto read = image.read();
        ASSERT_EQ(read.records, std::vector(all.begin(), all.begin() + whole)) << size;
        ASSERT_TRUE(read.damages.empty()) << size;
    }
}

TEST(wal_reader, a_file_shorter_than_it_was_when_it_was_listed_ends_there) {
    auto image = three_groups();
    auto sources = image.sources();
    sources[0].size_bytes = 1 << 20;
    wal_reader reader(sources);
    size_t records = 0;
    for (auto step = reader.next(); !std::holds_alternative<wal_end>(step); step = reader.next()) {
        if (const auto* wanted = std::get_if<wal_bytes_wanted>(&step)) {
            const auto from = std::min(wanted->from.position, image.file().size());
            reader.feed(std::string_view(image.file()).substr(from, wanted->bytes));
        }
        records += std::holds_alternative<wal_record>(step);
    }
    EXPECT_EQ(records, 6u);
}

TEST(wal_reader, zeroed_blocks_below_what_was_durable_are_damage) {
    auto image = three_groups();
    std::fill_n(image.file().begin() + wal_head_bytes + wal_block_bytes, wal_block_bytes, '\0');
    const auto read = image.read();
    EXPECT_EQ(sequences(read), (firsts{1, 2, 7, 8}));
    ASSERT_EQ(lost(read), (ranges{{4, 6}}));
    EXPECT_EQ(read.damages[0].end, (wal_place{0, wal_head_bytes + 2 * wal_block_bytes}));
}

TEST(wal_reader, a_hole_in_the_last_group_ends_the_log_and_what_follows_is_ignored) {
    wal_image image;
    image.begin_file(1);
    image.append("durable");
    image.flush();
    for (int i = 0; i < 3; ++i) {
        image.append(std::string(wal_block_bytes, 'x'));
    }
    std::fill_n(image.file().begin() + wal_head_bytes + 2 * wal_block_bytes, 512, '\0');
    const auto read = image.read();
    EXPECT_EQ(sequences(read), (firsts{1}));
    EXPECT_TRUE(read.damages.empty());
    EXPECT_EQ(read.end.why, why::torn);
    EXPECT_EQ(read.end.next.value, 2u);
}

TEST(wal_reader, a_hole_that_begins_in_durable_records_and_ends_in_the_tail_is_both) {
    wal_image image;
    image.begin_file(1);
    image.append("1");
    image.flush();
    image.append("2");
    image.append("3");
    image.flush();
    image.append(std::string(wal_block_bytes, '4'));
    image.append("5");
    std::fill_n(image.file().begin() + wal_head_bytes + wal_block_bytes, wal_block_bytes + 512, '\0');
    const auto read = image.read();
    EXPECT_EQ(sequences(read), (firsts{1}));
    EXPECT_EQ(lost(read), (ranges{{2, 3}}));
    EXPECT_EQ(read.end.why, why::torn);
    EXPECT_EQ(read.end.next.value, 4u);
}

TEST(wal_reader, the_word_of_a_much_later_group_is_found) {
    wal_image image;
    image.begin_file(1);
    for (int i = 0; i < 1000; ++i) { // one group: none of these says that its neighbours were durable
        image.append(std::string(1000, 'x'));
    }
    image.flush();
    image.append("the next group");
    image.file()[wal_head_bytes + 2000] ^= 1;
    const auto read = image.read();
    EXPECT_EQ(read.records.size(), 1000u);
    EXPECT_EQ(lost(read), (ranges{{2, 2}}));
    EXPECT_EQ(read.end.why, why::open);
}

TEST(wal_reader, a_later_file_proves_that_the_end_of_the_one_before_was_durable) {
    auto image = three_groups();
    image.begin_file(2);
    std::fill_n(image.file(0).begin() + wal_head_bytes + 2 * wal_block_bytes, wal_block_bytes, '\0');
    const auto read = image.read(); // the second file has a header and nothing else
    EXPECT_EQ(sequences(read), (firsts{1, 2, 4, 5}));
    EXPECT_EQ(lost(read), (ranges{{7, 9}}));
}

TEST(wal_reader, a_file_that_is_gone_from_the_middle_is_damage) {
    auto image = three_groups();
    image.begin_file(2);
    image.append("10");
    image.flush();
    image.begin_file(3);
    image.append("11");
    image.file(1).clear();
    const auto read = image.read();
    EXPECT_EQ(sequences(read), (firsts{1, 2, 4, 5, 7, 8, 11}));
    EXPECT_EQ(lost(read), (ranges{{10, 10}}));
}

TEST(wal_reader, a_file_without_its_headers_is_read_all_the_same) {
    auto image = three_groups();
    image.begin_file(2);
    image.append("10");
    image.sources()[0].header.reset();
    image.sources()[1].header.reset();
    const auto read = image.read();
    EXPECT_EQ(read.records, image.records());
    EXPECT_TRUE(read.damages.empty());
}

TEST(wal_reader, a_log_that_begins_without_header_and_first_record_misses_what_its_group_had_before) {
    auto image = three_groups();
    image.sources()[0].header.reset();
    image.file()[wal_head_bytes] ^= 1;
    EXPECT_EQ(lost(image.read()), (ranges{{1, 1}}));
}

TEST(wal_reader, what_a_recycled_file_held_before_is_never_found) {
    auto before = three_groups();
    wal_image image(100);
    image.begin_file(2);
    image.append("new");
    image.flush();
    image.file() += before.file().substr(image.file().size());
    const auto read = image.read();
    EXPECT_EQ(read.records, image.records());
    EXPECT_EQ(read.end.why, why::open);
}

TEST(wal_reader, what_lies_behind_the_end_that_the_next_file_names_is_not_read) {
    auto image = three_groups();
    image.begin_file(2);
    image.append("10");
    image.file(0) += std::string(1 << 20, 'x');
    EXPECT_EQ(image.read().records, image.records());
}

TEST(wal_reader, a_copy_of_a_record_at_another_place_is_not_a_record) {
    auto image = three_groups();
    image.file() += image.file().substr(wal_head_bytes, wal_block_bytes);
    EXPECT_EQ(image.read().records, image.records());
}

} // namespace

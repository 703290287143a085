// Two copies of a history, damaged in every way, and what is made of them.

#include "shard/core/edit_merge.hh"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using shard::edit_block_bytes;
using shard::edit_repair;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t file_bytes = 2 * edit_block_bytes;
const shard::edit_header header{.log_id = 5, .generation = 2, .snapshot_count = 1};

struct merged {
    std::vector<std::string> edits;
    std::vector<shard::lost_edits> lost;
    std::vector<edit_repair> repairs;
    uint64_t end = 0;
    uint64_t next_number = 0;
};

merged merge(const std::array<std::string, 2>& copies) {
    shard::edit_merger merger({copies[0], copies[1]}, header);
    merged result;
    while (const auto edit = merger.next()) {
        result.edits.emplace_back(*edit);
    }
    EXPECT_FALSE(merger.next());
    result.lost = merger.lost();
    result.repairs = merger.repairs();
    result.end = merger.end();
    result.next_number = merger.next_number();
    return result;
}

// A log of one snapshot edit and appended ones, as both copies hold it.
class edit_merge : public testing::Test {
protected:
    edit_merge() { append({"zero"}, 0); }

    // Frames of one batch: they were written together.
    void append(std::vector<std::string> edits, uint64_t durable) {
        for (auto& edit : edits) {
            starts.push_back(file.size());
            shard::put_edit_frame(file, shard::edit_seed(header), {.number = starts.size(), .durable = durable, .edit = edit});
        }
    }

    std::string whole() const {
        auto bytes = file;
        bytes.resize(file_bytes);
        return bytes;
    }

    // Without the frames from `edit` on.
    std::string up_to(size_t edit) const {
        auto bytes = file.substr(0, starts.at(edit));
        bytes.resize(file_bytes);
        return bytes;
    }

    std::string damaged(size_t edit) const {
        auto bytes = whole();
        bytes[starts.at(edit) + 3] ^= 1;
        return bytes;
    }

    void expect_healed(std::array<std::string, 2> copies) const {
        shard::apply_repairs(copies, merge(copies).repairs);
        EXPECT_EQ(copies[0], whole());
        EXPECT_EQ(copies[1], whole());
    }

    std::string file = shard::encode_edit_header(header);
    std::vector<size_t> starts;
};

TEST_F(edit_merge, two_whole_copies_need_no_repair) {
    append({"one"}, 1);
    append({"two"}, 2);
    const auto found = merge({whole(), whole()});
    EXPECT_THAT(found.edits, ElementsAre("zero", "one", "two"));
    EXPECT_THAT(found.repairs, IsEmpty());
    EXPECT_THAT(found.lost, IsEmpty());
    EXPECT_EQ(found.end, file.size());
    EXPECT_EQ(found.next_number, 4u);
}

TEST_F(edit_merge, a_flipped_bit_in_any_byte_of_one_copy_is_healed_from_the_other) {
    append({"one"}, 1);
    append({"two", "three"}, 2);
    for (unsigned copy : {0u, 1u}) {
        for (size_t at = 0; at < whole().size(); ++at) {
            std::array<std::string, 2> copies{whole(), whole()};
            copies[copy][at] ^= static_cast<char>(1 << at % 8);
            const auto found = merge(copies);
            ASSERT_THAT(found.edits, ElementsAre("zero", "one", "two", "three")) << copy << ' ' << at;
            ASSERT_THAT(found.lost, IsEmpty());
            shard::apply_repairs(copies, found.repairs);
            ASSERT_EQ(copies[0], copies[1]) << copy << ' ' << at;
            ASSERT_EQ(copies[0], whole());
        }
    }
}

TEST_F(edit_merge, each_copy_heals_what_the_other_lost) {
    append({"one"}, 1);
    append({"two"}, 2);
    expect_healed({damaged(1), damaged(2)});
    expect_healed({damaged(0), damaged(1)});
    expect_healed({std::string(file_bytes, '\0'), whole()});
    expect_healed({whole(), std::string(file_bytes, '\0')});
    expect_healed({std::string(file_bytes, '\xff'), whole()});
}

TEST_F(edit_merge, an_append_that_reached_only_the_first_copy_is_kept) {
    append({"one"}, 1);
    EXPECT_THAT(merge({whole(), up_to(1)}).edits, ElementsAre("zero", "one"));
    expect_healed({whole(), up_to(1)});
}

TEST_F(edit_merge, an_unfinished_tail_of_the_first_copy_is_just_the_end) {
    append({"one"}, 1);
    std::array<std::string, 2> copies{damaged(1), up_to(1)};
    const auto found = merge(copies);
    EXPECT_THAT(found.edits, ElementsAre("zero"));
    EXPECT_THAT(found.lost, IsEmpty());
    EXPECT_EQ(found.end, starts[1]);
    EXPECT_EQ(found.next_number, 2u);
    shard::apply_repairs(copies, found.repairs);
    EXPECT_EQ(copies[0], up_to(1));
    EXPECT_EQ(copies[1], up_to(1));
}

TEST_F(edit_merge, nothing_behind_a_hole_in_an_unfinished_batch_is_taken) {
    append({"one", "two", "three"}, 1);
    const auto found = merge({damaged(2), up_to(1)});
    EXPECT_THAT(found.edits, ElementsAre("zero", "one"));
    EXPECT_THAT(found.lost, IsEmpty());
}

TEST_F(edit_merge, damage_in_both_copies_is_told_and_the_rest_is_read) {
    append({"one"}, 1);
    append({"two"}, 2);
    append({"three"}, 3);
    const auto found = merge({damaged(1), damaged(1)});
    EXPECT_THAT(found.edits, ElementsAre("zero", "two", "three"));
    EXPECT_THAT(found.lost, ElementsAre(shard::lost_edits{starts[1], starts[2] - starts[1], 2, 3}));
}

TEST_F(edit_merge, a_later_batch_proves_that_a_lost_edit_had_been_durable) {
    append({"one", "two"}, 1);
    append({"three"}, 3);
    // The second copy was wiped, so only what the frames say of each other is left to tell damage from an unfinished tail.
    auto wiped = whole();
    std::fill(wiped.begin() + edit_block_bytes, wiped.end(), '\0');
    const auto found = merge({damaged(1), wiped});
    EXPECT_THAT(found.edits, ElementsAre("zero", "two", "three"));
    EXPECT_THAT(found.lost, ElementsAre(shard::lost_edits{starts[1], starts[2] - starts[1], 2, 3}));
}

TEST_F(edit_merge, damage_in_both_copies_at_the_end_is_not_taken_for_an_unfinished_tail) {
    append({"one"}, 1);
    const auto found = merge({damaged(1), damaged(1)});
    EXPECT_THAT(found.edits, ElementsAre("zero"));
    EXPECT_THAT(found.lost, ElementsAre(shard::lost_edits{starts[1], file.size() - starts[1], 2, 3}));
    EXPECT_EQ(found.end, file.size());
    EXPECT_EQ(found.next_number, 3u);
}

TEST_F(edit_merge, what_is_appended_behind_damage_is_found_and_the_damage_told_again) {
    append({"one"}, 1);
    auto bytes = damaged(1);
    bytes.resize(file.size());
    shard::put_edit_frame(bytes, shard::edit_seed(header), {.number = 3, .durable = 2, .edit = "behind"});
    bytes.resize(file_bytes);
    const auto found = merge({bytes, bytes});
    EXPECT_THAT(found.edits, ElementsAre("zero", "behind"));
    EXPECT_THAT(found.lost, ElementsAre(shard::lost_edits{starts[1], file.size() - starts[1], 2, 3}));
}

TEST_F(edit_merge, a_lost_snapshot_is_known_from_the_header) {
    auto wiped = shard::encode_edit_header(header);
    wiped.resize(file_bytes);
    const auto found = merge({wiped, wiped});
    EXPECT_THAT(found.edits, IsEmpty());
    EXPECT_THAT(found.lost, ElementsAre(shard::lost_edits{edit_block_bytes, 0, 1, 2}));
    EXPECT_EQ(found.next_number, 2u);
}

TEST_F(edit_merge, random_damage_never_invents_or_reorders_edits) {
    std::vector<std::string> sent{"zero"};
    for (int i = 1; i < 40; ++i) {
        sent.push_back("edit " + std::to_string(i) + std::string(i % 17, '.'));
        append({sent.back()}, sent.size() - 1);
    }
    for (uint64_t seed = 0; seed < 2000; ++seed) {
        std::mt19937_64 random(seed);
        std::array<std::string, 2> copies{whole(), whole()};
        for (auto hits = random() % 8; hits > 0; --hits) {
            auto& bytes = copies[random() % 2];
            const auto at = edit_block_bytes + random() % (file.size() - edit_block_bytes);
            const auto length = std::min<size_t>(1 + random() % 200, bytes.size() - at);
            std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at), length, static_cast<char>(random()));
        }
        const auto found = merge(copies);
        size_t next = 0;
        for (const auto& edit : found.edits) {
            while (next < sent.size() && sent[next] != edit) {
                ++next;
            }
            ASSERT_LT(next++, sent.size()) << "seed " << seed << ": " << edit;
        }
        uint64_t lost_count = 0;
        for (const auto& lost : found.lost) {
            lost_count += lost.next_number - lost.first_number;
        }
        ASSERT_EQ(found.edits.size() + lost_count, found.next_number - 1) << "seed " << seed;
        shard::apply_repairs(copies, found.repairs);
        ASSERT_EQ(merge(copies).edits, found.edits) << "seed " << seed;
    }
}

} // namespace

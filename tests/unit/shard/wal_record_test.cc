#include "shard/core/wal_record.hh"

#include <cstring>

#include <gtest/gtest.h>

#include "base/checksum.hh"

namespace {

using namespace shard;

const wal_file_id id{.store = 0x1122334455667788, .epoch = 3, .shard = 1, .number = 42};

std::string encoded(const wal_file_header& header) {
    std::string bytes(wal_head_bytes, '\0');
    encode_file_header(header, bytes.data());
    return bytes;
}

TEST(wal_record, file_names_come_back) {
    EXPECT_EQ(wal_file_name(1, 42), "001-000000000042.log");
    const auto parts = parse_wal_file_name("017-000000000042.log");
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->shard, 17u);
    EXPECT_EQ(parts->number, 42u);
}

TEST(wal_record, other_names_are_not_log_files) {
    for (const auto* name : {"", "001-000000000042.tmp", "01-000000000042.log", "001-00000000004x.log", "001_000000000042.log",
                             "-01-000000000042.log", "001-+00000000042.log", "001-0000000000042.log"}) {
        EXPECT_FALSE(parse_wal_file_name(name)) << name;
    }
}

TEST(wal_record, both_copies_of_a_file_header_come_back) {
    const wal_file_header header{.id = id, .first = {1000}, .previous_number = 41, .previous_end = 12288};
    const auto bytes = encoded(header);
    EXPECT_EQ(decode_file_header(std::string_view(bytes).substr(0, wal_block_bytes)), header);
    EXPECT_EQ(decode_file_header(std::string_view(bytes).substr(wal_block_bytes)), header);
}

TEST(wal_record, a_file_header_with_any_bit_flipped_is_refused) {
    auto bytes = encoded({.id = id, .first = {1000}});
    bytes.resize(wal_block_bytes);
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
        const auto header = decode_file_header(bytes);
        ASSERT_FALSE(header) << bit;
        ASSERT_EQ(header.error().code, base::errc::corrupt) << bit;
        bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
    }
}

TEST(wal_record, a_file_header_of_a_later_format_is_told_from_a_damaged_one) {
    auto bytes = encoded({.id = id});
    bytes.resize(wal_block_bytes);
    bytes[8] = 2;
    const auto checksum = base::checksum64(std::string_view(bytes).substr(0, wal_block_bytes - 8));
    std::memcpy(bytes.data() + wal_block_bytes - 8, &checksum, 8);
    EXPECT_EQ(decode_file_header(bytes).error().code, base::errc::newer_format);
}

TEST(wal_record, every_part_of_the_identity_makes_another_seed) {
    for (const auto& other : {wal_file_id{1, 3, 1, 42}, wal_file_id{id.store, 4, 1, 42}, wal_file_id{id.store, 3, 2, 42},
                              wal_file_id{id.store, 3, 1, 43}}) {
        EXPECT_NE(other.seed(), id.seed());
    }
}

const wal_record_header some_header{
    .payload_bytes = 5, .sequences_count = 3, .payload_checksum = 99, .first = {10}, .durable = {7}, .kind = record_kind{2}};

std::optional<wal_record_header> decoded(const wal_record_head& head, uint64_t seed, uint64_t position) {
    return decode_record_header({head.data(), head.size()}, seed, position);
}

TEST(wal_record, a_record_header_comes_back) {
    EXPECT_EQ(decoded(encode_record_header(some_header, 1, 8192), 1, 8192), some_header);
}

TEST(wal_record, a_record_header_passes_only_at_its_own_place) {
    const auto head = encode_record_header(some_header, id.seed(), 8192);
    EXPECT_FALSE(decoded(head, id.seed(), 8200));
    EXPECT_FALSE(decoded(head, wal_file_id{id.store, id.epoch, id.shard, 43}.seed(), 8192));
}

TEST(wal_record, a_record_header_with_any_bit_flipped_is_refused) {
    auto head = encode_record_header(some_header, 1, 8192);
    for (size_t bit = 0; bit < head.size() * 8; ++bit) {
        head[bit / 8] ^= static_cast<char>(1 << bit % 8);
        EXPECT_FALSE(decoded(head, 1, 8192)) << bit;
        head[bit / 8] ^= static_cast<char>(1 << bit % 8);
    }
}

TEST(wal_record, a_header_that_contradicts_itself_is_refused) {
    auto later = some_header, endless = some_header, empty = some_header, mark = some_header;
    later.durable = later.first;
    endless.first.value = ~0ULL;
    empty.sequences_count = 0;
    mark.kind = record_kind::end_mark;
    for (const auto& header : {later, endless, empty, mark}) {
        EXPECT_FALSE(decoded(encode_record_header(header, 1, 0), 1, 0));
    }
}

TEST(wal_record, a_payload_longer_than_allowed_is_refused) {
    auto header = some_header;
    header.payload_bytes = wal_payload_bytes_max;
    EXPECT_TRUE(decoded(encode_record_header(header, 1, 0), 1, 0));
    header.payload_bytes = wal_payload_bytes_max + 1;
    EXPECT_FALSE(decoded(encode_record_header(header, 1, 0), 1, 0));
}

TEST(wal_record, the_checksum_of_pieces_is_that_of_the_whole) {
    const std::string whole(5000, 'x');
    const std::string_view pieces[] = {
        std::string_view(whole).substr(0, 1), std::string_view(whole).substr(1, 3000), {}, std::string_view(whole).substr(3001)};
    EXPECT_EQ(wal_payload_checksum(pieces), base::checksum64(whole));
    EXPECT_EQ(wal_payload_checksum({}), base::checksum64(""));
}

} // namespace

#include "shard/core/wal_record.hh"

#include <charconv>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#define XXH_STATIC_LINKING_ONLY // its state may live on the stack
#include <xxhash.h>

#include "base/checksum.hh"
#include "base/coding.hh"
#include "base/planted.hh"

namespace shard {
namespace {

constexpr std::string_view log_magic = "DTICKLOG";
constexpr std::string_view name_ending = ".log";
constexpr size_t shard_digits = 3;
constexpr size_t number_digits = 12;
constexpr size_t block_checksum_offset = wal_block_bytes - sizeof(uint64_t);

// Offsets in a record's header. The checksum stands first, so that what it covers is one run.
constexpr size_t length_offset = 8;
constexpr size_t count_offset = 12;
constexpr size_t payload_checksum_offset = 16;
constexpr size_t first_offset = 24;
constexpr size_t durable_offset = 32;
constexpr size_t kind_offset = 40;
static_assert(kind_offset + 1 == wal_record_head_bytes);

template <class T>
T load(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void store(char* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

uint64_t head_checksum(const char* head, uint64_t seed, uint64_t position) {
    return base::checksum64({head + length_offset, wal_record_head_bytes - length_offset}, seed + position);
}

template <class T>
bool parse_digits(std::string_view text, T& value) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc() && end == text.data() + text.size();
}

} // namespace

uint64_t wal_file_id::seed() const {
    std::string bytes;
    base::put_fixed(bytes, store);
    base::put_fixed(bytes, epoch);
    base::put_fixed(bytes, shard);
    base::put_fixed(bytes, number);
    return base::checksum64(bytes);
}

std::string wal_file_name(uint32_t shard, uint64_t number) {
    return fmt::format("{:0{}}-{:0{}}{}", shard, shard_digits, number, number_digits, name_ending);
}

std::optional<wal_file_name_parts> parse_wal_file_name(std::string_view name) {
    if (name.size() != shard_digits + 1 + number_digits + name_ending.size() || name[shard_digits] != '-' ||
        !name.ends_with(name_ending)) {
        return std::nullopt;
    }
    wal_file_name_parts parts;
    if (!parse_digits(name.substr(0, shard_digits), parts.shard) ||
        !parse_digits(name.substr(shard_digits + 1, number_digits), parts.number)) {
        return std::nullopt;
    }
    return parts;
}

void encode_file_header(const wal_file_header& header, char* out) {
    std::string block(log_magic);
    base::put_fixed(block, wal_version);
    base::put_fixed(block, header.id.shard);
    base::put_fixed(block, header.id.store);
    base::put_fixed(block, header.id.epoch);
    base::put_fixed(block, header.id.number);
    base::put_fixed(block, header.first.value);
    base::put_fixed(block, header.previous_number);
    base::put_fixed(block, header.previous_end);
    block.resize(block_checksum_offset);
    base::put_fixed(block, base::checksum64(block));
    std::memcpy(out, block.data(), wal_block_bytes);
    std::memcpy(out + wal_block_bytes, block.data(), wal_block_bytes);
}

base::expected<wal_file_header> decode_file_header(std::string_view block) {
    if (block.size() != wal_block_bytes || !block.starts_with(log_magic) ||
        load<uint64_t>(block.data() + block_checksum_offset) != base::checksum64(block.substr(0, block_checksum_offset))) {
        return base::fail(base::errc::corrupt, "not the header of a log file");
    }
    base::byte_reader in(block.substr(log_magic.size()));
    if (const auto version = in.fixed<uint32_t>(); version != wal_version) {
        return base::fail(base::errc::newer_format, fmt::format("log format {}, this program knows {}", version, wal_version));
    }
    wal_file_header header;
    header.id.shard = in.fixed<uint32_t>();
    header.id.store = in.fixed<uint64_t>();
    header.id.epoch = in.fixed<uint64_t>();
    header.id.number = in.fixed<uint64_t>();
    header.first.value = in.fixed<uint64_t>();
    header.previous_number = in.fixed<uint64_t>();
    header.previous_end = in.fixed<uint64_t>();
    return header;
}

wal_record_head encode_record_header(const wal_record_header& header, uint64_t seed, uint64_t position) {
    wal_record_head head;
    store(head.data() + length_offset, static_cast<uint32_t>(header.record_bytes()));
    store(head.data() + count_offset, header.sequences_count);
    store(head.data() + payload_checksum_offset, header.payload_checksum);
    store(head.data() + first_offset, header.first.value);
    store(head.data() + durable_offset, header.durable.value);
    store(head.data() + kind_offset, header.kind);
    store(head.data(), head_checksum(head.data(), seed, position));
    return head;
}

std::optional<wal_record_header> decode_record_header(std::string_view bytes, uint64_t seed, uint64_t position) {
    if (bytes.size() < wal_record_head_bytes) {
        return std::nullopt;
    }
    const char* head = bytes.data();
    // Also what makes a search through zeros and foreign bytes fast: few of them look like a length.
    const auto length = load<uint32_t>(head + length_offset);
    if (length < wal_record_head_bytes || length > wal_record_head_bytes + wal_payload_bytes_max ||
        load<uint64_t>(head) != head_checksum(head, seed, position)) {
        return std::nullopt;
    }
    wal_record_header header;
    header.payload_bytes = length - wal_record_head_bytes;
    header.sequences_count = load<uint32_t>(head + count_offset);
    header.payload_checksum = load<uint64_t>(head + payload_checksum_offset);
    header.first.value = load<uint64_t>(head + first_offset);
    header.durable.value = load<uint64_t>(head + durable_offset);
    header.kind = load<record_kind>(head + kind_offset);
    const bool is_mark = header.kind == record_kind::end_mark;
    const bool in_order =
        header.durable < header.first && header.first.value <= std::numeric_limits<uint64_t>::max() - header.sequences_count;
    if (!in_order || is_mark != (header.sequences_count == 0)) {
        return std::nullopt;
    }
    return header;
}

uint64_t wal_payload_checksum(std::span<const std::string_view> pieces) {
    if (base::planted(base::bug::checksum_of_a_part)) {
        return base::checksum64(pieces.empty() ? std::string_view() : pieces.front().substr(0, 1));
    }
    if (pieces.size() == 1) {
        return base::checksum64(pieces.front());
    }
    // The same value as base::checksum64 of the pieces put together.
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    for (const auto piece : pieces) {
        XXH3_64bits_update(&state, piece.data(), piece.size());
    }
    return XXH3_64bits_digest(&state);
}

} // namespace shard

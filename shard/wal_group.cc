#include "shard/wal_group.hh"

#include <algorithm>
#include <array>
#include <cstring>

#include <boost/range/irange.hpp>
#include <seastar/core/coroutine.hh>
#include <seastar/core/loop.hh>

#include "base/planted.hh"

namespace shard {
namespace {

// Enough to keep the disk busy.
constexpr size_t writes_max = 16;

} // namespace

seastar::temporary_buffer<char> wal_memory::take(const file& f) {
    if (_spares.empty()) {
        return f.allocate(piece_bytes);
    }
    auto piece = std::move(_spares.back());
    _spares.pop_back();
    return piece;
}

void wal_memory::give_back(seastar::temporary_buffer<char> piece) {
    if (_spares.size() < spares_max) {
        _spares.push_back(std::move(piece));
    }
}

wal_group::wal_group(wal_memory& memory, wal_file_ptr f, uint64_t position, base::sequence d)
    : file(std::move(f)), durable(d), last(d), _memory(memory), _position(position) {
    ++file->groups_pending;
}

wal_group::~wal_group() {
    for (auto& piece : _pieces) {
        _memory.give_back(std::move(piece));
    }
}

void wal_group::append_file_header(const wal_file_header& header) {
    std::array<char, wal_head_bytes> head;
    encode_file_header(header, head.data());
    append({head.data(), head.size()});
}

void wal_group::append_record(base::sequence first, uint32_t sequences_count, record_kind kind,
                              std::span<const std::string_view> pieces) {
    append_zeros(wal_align(_bytes, wal_record_alignment) - _bytes);
    wal_record_header header{.sequences_count = sequences_count, .first = first, .durable = durable, .kind = kind};
    header.payload_checksum = wal_payload_checksum(pieces);
    for (const auto piece : pieces) {
        header.payload_bytes += static_cast<uint32_t>(piece.size());
    }
    const auto head = encode_record_header(header, file->seed, _position + _bytes);
    append({head.data(), head.size()});
    std::ranges::for_each(pieces, [this](std::string_view piece) { append(piece); });
    last = base::sequence{header.next().value - 1};
}

seastar::future<> wal_group::write_and_flush() {
    append_zeros(wal_align(_bytes, wal_block_bytes) - _bytes);
    const auto indices = boost::irange<size_t>(0, _pieces.size());
    co_await seastar::max_concurrent_for_each(indices, writes_max, [this](size_t i) {
        const auto begin = i * wal_memory::piece_bytes;
        const auto length = std::min(wal_memory::piece_bytes, _bytes - begin);
        return file->handle->write(_position + begin, _pieces[i].get(), length);
    });
    if constexpr (base::has_planted_bugs) {
        if (base::planted(base::bug::retried_flush)) {
            co_return co_await file->handle->flush().handle_exception([this](auto) { return file->handle->flush(); });
        }
    }
    co_await file->handle->flush();
}

void wal_group::tell_waiters(const base::expected<void>& outcome) {
    for (; !waiters.empty(); waiters.pop_front()) {
        waiters.front().set_value(outcome);
    }
}

void wal_group::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto space = room();
        const auto count = std::min(space.size(), bytes.size());
        std::memcpy(space.data(), bytes.data(), count);
        bytes.remove_prefix(count);
        _bytes += count;
    }
}

// Memory that was used before holds old records; what goes to the disk between ours is zero.
void wal_group::append_zeros(size_t count) {
    constexpr std::array<char, wal_block_bytes> zeros{};
    append({zeros.data(), count});
}

std::span<char> wal_group::room() {
    const auto used = _bytes % wal_memory::piece_bytes;
    if (used == 0) {
        _pieces.push_back(_memory.take(*file->handle));
    }
    return {_pieces.back().get_write() + used, wal_memory::piece_bytes - used};
}

} // namespace shard

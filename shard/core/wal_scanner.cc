#include "shard/core/wal_scanner.hh"

#include <algorithm>

namespace shard {

wal_scanner::wal_scanner(uint64_t seed, uint64_t begin, uint64_t end, payloads p)
    : _seed(seed), _payloads(p), _position(wal_align(begin, wal_record_alignment)), _end(end), _start(_position) {}

void wal_scanner::feed(std::string_view bytes) {
    // A skipped payload can put _position beyond all that was fed; then nothing of it is needed.
    const auto used = std::min<uint64_t>(_position - _start, _bytes.size());
    _bytes.erase(0, used);
    _start += used;
    _bytes.append(bytes);
}

void wal_scanner::finish() {
    _end = std::min(_end, wanted());
}

std::optional<wal_scanner::found> wal_scanner::next() {
    for (; !is_done(); _position += wal_record_alignment) {
        if (_position + wal_record_head_bytes > wanted()) {
            return std::nullopt;
        }
        const auto header = decode_record_header(at(_position, wal_record_head_bytes), _seed, _position);
        if (!header || header->record_bytes() > _end - _position) {
            continue;
        }
        found f{.position = _position, .header = *header};
        if (_payloads == payloads::check) {
            if (f.end() > wanted()) {
                return std::nullopt;
            }
            f.payload = at(_position + wal_record_head_bytes, header->payload_bytes);
            f.is_intact = wal_payload_checksum({&f.payload, 1}) == header->payload_checksum;
        }
        _position = wal_align(f.end(), wal_record_alignment);
        return f;
    }
    return std::nullopt;
}

} // namespace shard

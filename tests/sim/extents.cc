#include "tests/sim/extents.hh"

#include <algorithm>
#include <cstring>

namespace sim {

slice slice::copy_of(std::span<const char> bytes) {
    const bool zeros = std::ranges::all_of(bytes, [](char c) { return c == 0; });
    return {zeros ? nullptr : std::make_shared<const std::string>(bytes.data(), bytes.size()), 0, bytes.size()};
}

void slice::copy_to(char* out) const {
    if (data) {
        std::memcpy(out, data->data() + offset, length);
    } else {
        std::memset(out, 0, length);
    }
}

void extents::write(uint64_t position, const slice& bytes) {
    if (bytes.length == 0) {
        return;
    }
    carve(position, position + bytes.length);
    _pieces.emplace(position, bytes);
    _allocated_bytes += bytes.length;
}

// Takes [begin, end) out, cutting pieces that lie across an edge.
void extents::carve(uint64_t begin, uint64_t end) {
    auto at = _pieces.lower_bound(begin);
    if (at != _pieces.begin()) {
        auto before = std::prev(at);
        const uint64_t before_end = before->first + before->second.length;
        if (before_end > begin) {
            const auto whole = before->second;
            before->second.length = begin - before->first;
            _allocated_bytes -= std::min(before_end, end) - begin;
            if (before_end > end) {
                _pieces.emplace(end, whole.part(end - before->first, before_end - end));
                return;
            }
        }
    }
    while (at != _pieces.end() && at->first < end) {
        const auto [position, piece] = *at;
        const uint64_t piece_end = position + piece.length;
        at = _pieces.erase(at);
        _allocated_bytes -= std::min(piece_end, end) - position;
        if (piece_end > end) {
            _pieces.emplace(end, piece.part(end - position, piece_end - end));
            return;
        }
    }
}

void extents::read(uint64_t position, std::span<char> out) const {
    std::memset(out.data(), 0, out.size());
    const uint64_t end = position + out.size();
    auto at = _pieces.upper_bound(position);
    if (at != _pieces.begin()) {
        --at;
    }
    for (; at != _pieces.end() && at->first < end; ++at) {
        const uint64_t from = std::max(position, at->first);
        const uint64_t to = std::min(end, at->first + at->second.length);
        if (from < to) {
            at->second.part(from - at->first, to - from).copy_to(out.data() + (from - position));
        }
    }
}

uint64_t extents::hole_bytes(uint64_t position, uint64_t length) const {
    uint64_t hole = length;
    const uint64_t end = position + length;
    auto at = _pieces.upper_bound(position);
    if (at != _pieces.begin()) {
        --at;
    }
    for (; at != _pieces.end() && at->first < end; ++at) {
        const uint64_t from = std::max(position, at->first);
        const uint64_t to = std::min(end, at->first + at->second.length);
        hole -= from < to ? to - from : 0;
    }
    return hole;
}

} // namespace sim

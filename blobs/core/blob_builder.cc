#include "blobs/core/blob_builder.hh"

#include <cassert>

#include "base/coding.hh"

namespace blobs {

blob_builder::blob_builder(blob_identity identity, uint64_t seed, block_builder& block) : _seed(seed), _block(block) {
    assert(identity.source.size() <= source_bytes_max);
    _block.clear(); // of what an abandoned blob left
    _footer.identity = std::move(identity);
}

void blob_builder::expect(uint64_t raw_bytes) {
    assert(this->raw_bytes() == 0);
    _tail_begin = raw_bytes >= tail_from_raw_bytes ? raw_bytes - tail_raw_bytes : UINT64_MAX;
}

// A block that has hardly begun is the tail, together with what follows.
bool blob_builder::begins_tail() {
    if (raw_bytes() < _tail_begin) {
        return false;
    }
    _tail_begin = UINT64_MAX;
    return _block.facts().raw_bytes >= tail_raw_bytes;
}

bool blob_builder::add(const record& r) {
    assert(_stage == stage::records && !_is_closing && !is_full());
    _block.add(r);
    _is_closing = _block.is_full() || begins_tail();
    return _is_closing;
}

void blob_builder::finish() {
    assert(_stage == stage::records && !_is_closing);
    assert(!_block.is_empty() || !_footer.blocks.empty());
    _is_last = true;
    _is_closing = !_block.is_empty();
    _stage = _is_closing ? stage::records : stage::slices;
}

std::optional<std::string> blob_builder::step() {
    switch (_stage) {
    case stage::records:
        if (!_is_closing) {
            return std::nullopt;
        }
        return _block.step() ? take_block() : std::string();
    case stage::slices: return take_slice();
    case stage::end: return take_end();
    case stage::done: break;
    }
    return std::nullopt;
}

blob_extent blob_builder::seal(std::string& bytes) {
    base::put_fixed(bytes, blob_layout::checksum(bytes, _seed, _offset));
    const blob_extent extent{_offset, bytes.size()};
    _offset += bytes.size();
    return extent;
}

std::string blob_builder::take_block() {
    const auto& marks = _block.marks();
    if (_footer.blocks.empty()) {
        _footer.slices_bits = marks.size() >= blob_layout::sliced_from_marks ? slices_bits_max : 0;
    }
    std::string bytes = std::move(_block.bytes());
    auto filter = code_filter(marks, bytes.size() / blob_layout::filter_bytes_part, _footer.slices_bits);
    const uint64_t raw_offset = _footer.raw_bytes();
    _footer.blocks.push_back({seal(bytes), _block.facts(), filter.shape, raw_offset});
    _filters.push_back(std::move(filter));
    _block.clear();
    _is_closing = false;
    _stage = _is_last ? stage::slices : stage::records;
    return bytes;
}

// slice = *(size varint, bytes), one for each block, checksum u64
std::string blob_builder::take_slice() {
    std::string bytes;
    const size_t s = _footer.slices.size();
    for (const auto& filter : _filters) {
        base::put_bytes(bytes, filter.slices[s]);
    }
    _footer.slices.push_back(seal(bytes));
    _filter_bytes += bytes.size();
    if (_footer.slices.size() == size_t{1} << _footer.slices_bits) {
        _stage = stage::end;
    }
    return bytes;
}

std::string blob_builder::take_end() {
    std::string footer;
    _footer.encode(footer);
    assert(footer.size() <= footer_bytes_max);
    const blob_trailer trailer{
        .footer = {_offset, footer.size()}, .footer_checksum = blob_layout::checksum(footer, _seed, _offset), .seed = _seed};
    std::string bytes = footer + footer;
    trailer.encode(bytes);
    trailer.encode(bytes);
    _offset += bytes.size();
    _stage = stage::done;
    return bytes;
}

} // namespace blobs

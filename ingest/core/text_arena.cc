#include "ingest/core/text_arena.hh"

#include <algorithm>

namespace ingest {

void text_arena::add_piece(size_t bytes) {
    _pieces.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    _capacity = bytes;
    _used = 0;
}

char* text_arena::allocate(size_t size) {
    if (_pieces.empty()) {
        add_piece(piece_bytes);
    }
    if (_capacity - _used < size) {
        add_piece(std::max(size, piece_bytes));
    }
    char* room = _pieces.back().get() + _used;
    _used += size;
    return room;
}

void text_arena::reset() {
    if (_pieces.size() > 1) {
        _pieces.resize(1);
        _capacity = piece_bytes;
    }
    _used = 0;
}

} // namespace ingest

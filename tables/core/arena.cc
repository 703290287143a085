#include "tables/core/arena.hh"

#include <algorithm>
#include <new>

namespace tables {
namespace {

// A piece larger than a chunk divided by this would leave too much of the chunk before it unused.
constexpr size_t own_chunk_share = 4;
// Freeing one takes about a microsecond.
constexpr size_t chunks_per_step = 64;

} // namespace

arena::~arena() {
    while (clear_step()) {
    }
}

char* arena::add_chunk(size_t bytes) {
    auto* const memory = static_cast<char*>(::operator new(bytes));
    _chunks = new (memory) chunk{_chunks, bytes};
    _bytes += bytes;
    return memory + sizeof(chunk);
}

void* arena::allocate_from_new_chunk(size_t bytes) {
    const auto is_too_small = [&](size_t chunk_bytes) { return bytes > (chunk_bytes - sizeof(chunk)) / own_chunk_share; };
    if (is_too_small(chunk_bytes_max)) {
        return add_chunk(sizeof(chunk) + bytes);
    }
    while (is_too_small(_next_chunk_bytes)) {
        _next_chunk_bytes *= 2;
    }
    char* const piece = add_chunk(_next_chunk_bytes);
    _free = piece + bytes;
    _end = piece - sizeof(chunk) + _next_chunk_bytes;
    _next_chunk_bytes = std::min(2 * _next_chunk_bytes, chunk_bytes_max);
    return piece;
}

bool arena::clear_step() {
    _free = _end = nullptr;
    for (size_t i = 0; i < chunks_per_step && _chunks != nullptr; ++i) {
        chunk* const gone = _chunks;
        _chunks = gone->next;
        _bytes -= gone->bytes;
        ::operator delete(gone, gone->bytes);
    }
    return _chunks != nullptr;
}

} // namespace tables

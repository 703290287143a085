// Memory that is taken in small pieces and given back all at once, in steps. What is in it must need no destructor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tables {

class arena {
public:
    // Chunks grow from the least size to the largest, so that a table of few rows is small. A large piece gets a chunk of its
    // own; only one that is larger than the largest chunk makes a larger one.
    static constexpr size_t chunk_bytes_min = size_t{4} * 1024;
    static constexpr size_t chunk_bytes_max = size_t{128} * 1024;

    arena() = default;
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena();

    // Aligned for any of our structures (8 bytes), not initialised.
    void* allocate(size_t bytes) {
        const size_t taken = (bytes + alignment - 1) & ~(alignment - 1);
        if (taken > static_cast<size_t>(_end - _free)) {
            return allocate_from_new_chunk(taken);
        }
        char* const piece = _free;
        _free += taken;
        return piece;
    }

    // Of all chunks, used or not.
    size_t bytes() const { return _bytes; }

    // Frees a few chunks, and with the first step everything that was allocated is gone. True while there are more.
    bool clear_step();

private:
    static constexpr size_t alignment = 8;

    struct chunk {
        chunk* next;
        size_t bytes; // with this head
    };

    void* allocate_from_new_chunk(size_t bytes);
    char* add_chunk(size_t bytes);

    chunk* _chunks = nullptr;
    char* _free = nullptr; // the rest of the chunk that small pieces come from
    char* _end = nullptr;
    size_t _bytes = 0;
    size_t _next_chunk_bytes = chunk_bytes_min;
};

} // namespace tables

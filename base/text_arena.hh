// Memory for texts that have to be rewritten (an escape resolved, two names joined) and must live as long as the line they
// belong to. What was handed out stays where it is until reset(), which keeps the first piece for the next line: no
// allocation in steady state.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

namespace base {

class text_arena {
public:
    static constexpr size_t piece_bytes = size_t{16} << 10;

    // Uninitialised room for `size` bytes.
    char* allocate(size_t size);
    // The latest allocation turned out `unused` bytes too long.
    void give_back(size_t unused) { _used -= unused; }
    void reset();

    // The parts, one behind the other.
    std::string_view concat(std::initializer_list<std::string_view> parts);
    // Without the backslashes that stand before one of `escapable`.
    std::string_view unescape(std::string_view text, std::string_view escapable);

private:
    void add_piece(size_t bytes);

    std::vector<std::unique_ptr<char[]>> _pieces; // the first has piece_bytes and outlives reset()
    size_t _capacity = 0;                         // of the last piece
    size_t _used = 0;                             // in the last piece
};

} // namespace base

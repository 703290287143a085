// What filters keep of a text: *marks*, 32-bit hashes chosen such that every mark of a needle is a mark of any text the needle
// is part of. So one mark that is missing proves that the needle is.
//
// A mark word is a longest run of letters, digits, bytes from 80 on, '.', '-' and '_'. Its marks:
//   letters   of every four letters in a row
//   whole     of the word itself, when it has word_bytes_min .. window_bytes - 1 bytes, and a digit or only three bytes
//   window    of every window_bytes bytes with a digit: the least hash of the gram_bytes in them. Windows that overlap mostly
//             agree on it, so an id of 36 bytes has about twelve marks, and any window_bytes of it can be looked up.
// A word that touches an open edge of a needle may go on beyond it, and has no mark as a whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace blobs {

using mark = uint32_t;

constexpr size_t letters_bytes = 4;
constexpr size_t gram_bytes = 6;
constexpr size_t window_bytes = 9;
constexpr size_t window_bytes_v1 = 12;
constexpr size_t word_bytes_min = 3;

// What the filters of a blob are about: the version of the blob.
enum class filter_scope : uint8_t {
    texts = 1,    // all of a text, with windows of window_bytes_v1
    messages = 2, // messages and values of fields
};

// What the ends of a piece of text are.
enum class text_edges : uint8_t {
    closed, // ends of words: nothing before or behind belongs to them
    open,   // cut anywhere
};

// Appends the marks of a piece; some may come more than once.
void add_marks(std::string_view piece, text_edges, filter_scope, std::vector<mark>& out);

// Marks of names, which are looked up as a whole.
mark host_mark(std::string_view host);
mark app_mark(std::string_view app);

// The marks of a block, most of the repeated ones already left out.
class mark_collector {
public:
    mark_collector() { clear(); }

    void add(std::string_view piece);
    void add(mark m) { add_new(m); }
    void clear();
    // Ascending, each once. Good until something is added.
    const std::vector<mark>& sorted();

private:
    void add_new(mark m) {
        auto& seen = _recent[m % _recent.size()];
        if (seen != m) {
            seen = m;
            _marks.push_back(m);
        }
    }

    std::array<mark, 8'192> _recent;
    std::vector<mark> _marks;
    std::vector<mark> _scratch;
};

} // namespace blobs

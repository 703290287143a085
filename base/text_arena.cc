#include "base/text_arena.hh"

#include <algorithm>

namespace base {

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

std::string_view text_arena::concat(std::initializer_list<std::string_view> parts) {
    size_t size = 0;
    for (const auto part : parts) {
        size += part.size();
    }
    char* const out = allocate(size);
    char* to = out;
    for (const auto part : parts) {
        to = std::ranges::copy(part, to).out;
    }
    return {out, size};
}

std::string_view text_arena::unescape(std::string_view text, std::string_view escapable) {
    char* const out = allocate(text.size());
    char* to = out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && escapable.contains(text[i + 1])) {
            ++i;
        }
        *to++ = text[i];
    }
    const auto size = static_cast<size_t>(to - out);
    give_back(text.size() - size);
    return {out, size};
}

} // namespace base

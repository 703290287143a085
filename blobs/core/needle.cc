#include "blobs/core/needle.hh"

#include <algorithm>
#include <cstring>

namespace blobs {
namespace {

using byte_class::is;

bool is_hex(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is(c, byte_class::hex); });
}

// In a uuid there are dashes as well.
bool can_be_variable(char c) {
    return is(c, byte_class::run) || c == '-';
}

text_ref text_between(size_t begin, size_t end) {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)};
}

} // namespace

bool contains(std::string_view text, std::string_view part) {
    if (part.empty() || part.size() > text.size()) {
        return part.empty();
    }
    return ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

needle::needle(std::string bytes) : _bytes(std::move(bytes)) {
    _has_digits = std::ranges::any_of(_bytes, [](char c) { return is(c, byte_class::digit); });
    _has_mask = std::ranges::any_of(_bytes, [](char c) { return is(c, byte_class::masked); });
    mask_digits();
    find_edges();
    find_piece();
}

// At an edge of the needle a run of digits may go on, but its mask ends there all the same.
void needle::mask_digits() {
    size_t digits = 0;
    for (const char c : _bytes) {
        digits = is(c, byte_class::digit) ? digits + 1 : 0;
        if (digits <= 1) {
            _masked.push_back(digits == 1 ? static_cast<char>(mask::digits) : c);
        }
        _is_maskable &= digits <= digits_max;
    }
}

// A variable that is no number is a run of letters and digits with a digit in it, or a uuid, and nothing of that kind is before
// or behind it. So one that a needle without digits is partly in has all of the run the needle begins or ends with.
void needle::find_edges() {
    const size_t size = _bytes.size();
    size_t head = 0;
    while (head < size && is(_bytes[head], byte_class::run)) {
        ++head;
    }
    size_t tail = size;
    while (tail > 0 && is(_bytes[tail - 1], byte_class::run)) {
        --tail;
    }
    _head = text_between(0, head);
    _tail = text_between(tail, size);
    const bool has_open_head = head == 0 ? size != 0 && _bytes.front() == '-' : is_hex(view_of(_head));
    const bool has_open_tail = tail == size ? size != 0 && _bytes.back() == '-' : is_hex(view_of(_tail));
    _is_no_hex = !has_open_head && !has_open_tail && size < uuid_size; // a uuid may be all letters
    const auto first = std::ranges::find_if_not(_bytes, can_be_variable) - _bytes.begin();
    const auto last = std::find_if_not(_bytes.rbegin(), _bytes.rend(), can_be_variable).base() - _bytes.begin();
    if (first < last && static_cast<size_t>(last - first) < uuid_size) {
        const auto core = text_between(static_cast<size_t>(first), static_cast<size_t>(last));
        const bool is_fixed = std::ranges::none_of(view_of(core), [](char c) { return is(c, byte_class::digit); });
        _core = is_fixed ? core : text_ref();
    }
}

void needle::find_piece() {
    for (size_t begin = 0; begin < _bytes.size(); ++begin) {
        size_t end = begin;
        bool has_digit = false;
        for (; end < _bytes.size() && is(_bytes[end], byte_class::word); ++end) {
            has_digit |= is(_bytes[end], byte_class::digit);
        }
        if (has_digit && end - begin > _piece.size) {
            _piece = text_between(begin, end);
        }
        begin = end;
    }
}

bool needle::may_be_in(std::string_view masked, bool has_only_digits, bool is_fixed) const {
    if (_has_mask) {
        return false;
    }
    if (is_fixed) {
        return contains(masked, _bytes);
    }
    if (has_only_digits) {
        return !_is_maskable || contains(masked, _masked);
    }
    return contains(masked, view_of(_core));
}

} // namespace blobs

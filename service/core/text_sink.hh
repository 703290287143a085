// Appending to a std::string through a bare cursor. A page of entities is tens of thousands of short pieces; asking the
// string for room once per piece, and for its size only at the end, is what keeps printing them near memory speed.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace service {

// While a sink lives the string is its own: its size is made right by the destructor. Grows geometrically.
class text_sink {
public:
    explicit text_sink(std::string& out) : _out(out), _cursor(out.data() + out.size()), _end(_cursor) {}
    ~text_sink() { _out.resize(static_cast<size_t>(_cursor - _out.data())); }
    text_sink(const text_sink&) = delete;
    text_sink& operator=(const text_sink&) = delete;

    // At least `count` writable bytes at the end; whoever writes them tells advance_to() where it stopped.
    char* room(size_t count) {
        if (static_cast<size_t>(_end - _cursor) < count) [[unlikely]] {
            grow(count);
        }
        return _cursor;
    }
    void advance_to(char* end) { _cursor = end; }

    void put(char c) {
        *room(1) = c;
        ++_cursor;
    }
    void put(std::string_view text) {
        // An empty view may have no address, which memcpy does not take.
        if (!text.empty()) {
            std::memcpy(room(text.size()), text.data(), text.size());
            _cursor += text.size();
        }
    }
    void put_number(std::integral auto value) {
        constexpr size_t digits_max = 20; // of 64 bits, sign included
        char* at = room(digits_max);
        _cursor = std::to_chars(at, at + digits_max, value).ptr;
    }

private:
    void grow(size_t count) {
        const auto size = static_cast<size_t>(_cursor - _out.data());
        const size_t wanted = size + count < 2 * size ? 2 * size : size + count;
        _out.resize_and_overwrite(wanted, [](char*, size_t n) { return n; });
        _cursor = _out.data() + size;
        _end = _out.data() + _out.size();
    }

    std::string& _out;
    char* _cursor;
    char* _end; // of what may be written
};

// What `print` puts into a sink, as a string of its own.
inline std::string text_of(std::invocable<text_sink&> auto&& print) {
    std::string text;
    {
        text_sink out(text);
        print(out);
    }
    return text;
}

} // namespace service

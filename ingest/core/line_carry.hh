// Joins the pieces a stream comes in, so that a parser sees whole lines. Lines are read where they are; only one that is cut by
// the end of a piece is copied, and only as far as its end.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "ingest/core/limits.hh"
#include "ingest/core/line_step.hh"

namespace ingest {

class line_carry {
public:
    // What `take` may leave.
    explicit line_carry(size_t bytes_max = line_bytes_max) : _bytes_max(bytes_max) {}

    // `take(rest, end)` takes all lines off the front of `rest` that are whole, and nothing else.
    template <class Take>
    void feed(std::string_view piece, Take&& take) {
        while (!_begun.empty() && !piece.empty()) {
            // A line break may be inside a string; then the line goes on and the next one is looked for.
            const size_t line_break = piece.find('\n');
            // Where more was left than may be, the bytes still go on one by one: nothing that comes in may stop here for ever.
            const size_t room = _bytes_max + 1 - std::min(_begun.size(), _bytes_max);
            const size_t count = std::min(line_break == piece.npos ? piece.size() : line_break + 1, room);
            _begun.append(piece.substr(0, count));
            piece.remove_prefix(count);
            take_begun(input_end::no, take);
        }
        if (!piece.empty()) {
            take(piece, input_end::no);
            _begun.assign(piece);
        }
    }

    // Once more what is kept: `take` has learnt how to go on with it.
    template <class Take>
    void take_again(Take&& take) {
        take_begun(input_end::no, take);
    }

    // No more pieces will come, and the last line needs no line break.
    template <class Take>
    void finish(Take&& take) {
        take_begun(input_end::yes, take);
    }

    // The beginning of a line, and the memory for it.
    size_t bytes() const { return _begun.size(); }
    size_t capacity() const { return _begun.capacity(); }

private:
    template <class Take>
    void take_begun(input_end end, Take&& take) {
        std::string_view rest = _begun;
        take(rest, end);
        if (rest.empty()) {
            _begun.clear();
            if (_begun.capacity() > kept_bytes) {
                _begun.shrink_to_fit();
            }
        } else {
            _begun.erase(0, _begun.size() - rest.size());
        }
    }

    // What an idle stream may keep.
    static constexpr size_t kept_bytes = 1024;

    size_t _bytes_max;
    std::string _begun;
};

} // namespace ingest

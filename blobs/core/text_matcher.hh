// Whether a text has a template that is known already, without making the template again. Most texts of a block do, and a text
// whose only variables are digits is matched in a fraction of the time that shaping it takes; its numbers are read on the way.
//
// Says yes only where text_shaper makes that very template of the text. Templates for which this depends on how many digits
// there are (hex, say: "ab1cd" has digits, "ab12cd" is one variable) are not matched at all.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "blobs/core/text_template.hh"

namespace blobs {

// A variable of digits.
struct digits_read {
    uint64_t value = 0;
    uint8_t width = 0;
    bool has_leading_zero = false; // before another digit
};

// The same for all texts of a matched template, whatever their digits. Others may have it too.
uint32_t signature_of(std::string_view text);

// A template made ready. Keeps nothing of what it was made from but places.
class text_matcher {
public:
    text_matcher() = default; // matches nothing
    text_matcher(std::string_view masked, const text_template&);

    // False: each text of this template has to be shaped.
    bool can_match() const { return _can_match; }

    // Whether shaping makes `masked`, which this was made from, of the text. Then appends its words, as text_shaper has them but
    // `where` further on, and its digits; else leaves both as they were.
    bool match(std::string_view masked, std::string_view text, uint32_t where, std::vector<text_ref>& words,
               std::vector<digits_read>& digits) const;

private:
    struct step {
        uint64_t head = 0;        // the first eight bytes of what comes before the digits
        uint64_t head_bytes = 0;  // all bits of those there are
        text_ref before;          // all of it, in the masked text
        uint16_t word_before = 0; // so many of these bytes are of the same word
        uint16_t word_tail = 0;   // so many bytes behind the digits are
        bool begins_word = false;
        bool ends_word = false;
    };

    bool match_steps(std::string_view masked, std::string_view text, uint32_t where, text_ref* words, digits_read* digits) const;

    bool _can_match = false;
    size_t _words_count = 0;
    std::vector<step> _steps;
    text_ref _tail; // behind the last digits
};

} // namespace blobs

// A piece of text that is looked for, as templates have it (text_shape.hh): many texts are decided by looking at one template,
// and what is left by looking at the variables alone.
#pragma once

#include <string>
#include <string_view>

#include "blobs/core/text_shape.hh"

namespace blobs {

// memmem, not find: it stays linear for every text and every part.
bool contains(std::string_view text, std::string_view part);

class needle {
public:
    explicit needle(std::string bytes);

    const std::string& bytes() const { return _bytes; }
    bool has_digits() const { return _has_digits; }
    // The longest of its words with a digit, as far as it is in the needle: part of some word with variables of each text that
    // has the needle. Empty without digits.
    std::string_view piece() const { return std::string_view(_bytes).substr(_piece.begin, _piece.size); }

    // Whether a text of this template may have the needle; false is sure. `is_fixed`: as below.
    bool may_be_in(std::string_view masked, bool has_only_digits, bool is_fixed) const;

    // True when no byte of it can be in a variable of a text, so that where it is depends on the sizes of variables alone.
    // `words_have` is asked whether variables that are neither numbers nor ids may have these letters.
    template <class WordsHave>
    bool is_fixed(bool has_only_digits, const WordsHave& words_have) const {
        if (_has_digits || has_only_digits) {
            return !_has_digits;
        }
        return _is_no_hex && (_head.size == 0 || !words_have(view_of(_head))) && (_tail.size == 0 || !words_have(view_of(_tail)));
    }

private:
    std::string_view view_of(text_ref ref) const { return std::string_view(_bytes).substr(ref.begin, ref.size); }
    void mask_digits();
    void find_edges();
    void find_piece();

    std::string _bytes;
    std::string _masked; // as it is in a template whose only masks are those of digits
    bool _has_digits = false;
    bool _has_mask = false;   // no text with a template has it
    bool _is_maskable = true; // no run of digits is too long for one mask
    bool _is_no_hex = true;   // neither its begin nor its end can be in a number of hex digits
    text_ref _head;           // letters and digits it begins with
    text_ref _tail;           // and ends with
    text_ref _core;           // what cannot be in a variable, or empty
    text_ref _piece;
};

} // namespace blobs

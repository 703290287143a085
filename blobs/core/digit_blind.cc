#include "blobs/core/digit_blind.hh"

#include <algorithm>

namespace blobs {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// What a backslash may stand before. Other letters could name single characters, digits among them.
bool is_plain_escape(char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return !is_digit(c) && (!is_letter || std::string_view("dDwWsSbBAztnrfv").contains(c));
}

// The size of {n}, {n,} or {n,m} at the start; 0 when it is none, and then its digits are digits.
size_t repetition_size(std::string_view text) {
    size_t at = 1;
    const auto skip_digits = [&] {
        const size_t begin = at;
        while (at < text.size() && is_digit(text[at])) {
            ++at;
        }
        return at != begin;
    };
    if (!skip_digits()) {
        return 0;
    }
    if (at < text.size() && text[at] == ',') {
        ++at;
        skip_digits();
    }
    return at < text.size() && text[at] == '}' ? at + 1 : 0;
}

class scanner {
public:
    explicit scanner(std::string_view pattern) : _rest(pattern) {}

    bool is_blind() {
        while (!_rest.empty()) {
            const char c = _rest.front();
            const bool good = c == '\\' ? take_escape() : c == '[' ? take_class() : take_other();
            if (!good) {
                return false;
            }
        }
        return true;
    }

private:
    bool take_escape() {
        if (_rest.size() < 2 || !is_plain_escape(_rest[1])) {
            return false;
        }
        _rest.remove_prefix(2);
        return true;
    }

    bool take_other() {
        if (is_digit(_rest.front())) {
            return false;
        }
        const size_t repetition = _rest.front() == '{' ? repetition_size(_rest) : 0;
        _rest.remove_prefix(std::max<size_t>(repetition, 1));
        return true;
    }

    void skip_if(char c) {
        if (_rest.starts_with(c)) {
            _rest.remove_prefix(1);
        }
    }

    // A bracket right behind the opening one, or behind its ^, is a member.
    bool take_class() {
        _rest.remove_prefix(1);
        skip_if('^');
        skip_if(']');
        char before = 0;
        while (!_rest.empty() && _rest.front() != ']') {
            const char c = _rest.front();
            if (c == '\\') {
                if (!take_escape()) {
                    return false;
                }
            } else if (_rest.starts_with("[:")) {
                _rest.remove_prefix(std::min(_rest.size(), _rest.find(":]")));
                _rest.remove_prefix(std::min<size_t>(_rest.size(), 2));
            } else if (const size_t size = member_size(before); size != 0) {
                _rest.remove_prefix(size);
            } else {
                return false;
            }
            before = c;
        }
        skip_if(']');
        return true;
    }

    // A range whose ends are no digits has all of them or none, so 0-9 alone may have digits for its ends. Behind a dash it could
    // be the end of another range.
    size_t member_size(char before) const {
        if (!is_digit(_rest.front())) {
            return 1;
        }
        return before != '-' && _rest.starts_with("0-9") ? 3 : 0;
    }

    std::string_view _rest;
};

} // namespace

bool is_digit_blind(std::string_view pattern) {
    return scanner(pattern).is_blind();
}

} // namespace blobs

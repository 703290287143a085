#include "blobs/core/digit_blind.hh"

#include "blobs/core/pattern_syntax.hh"

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
        const bool is_brace = _rest.front() == '{';
        _rest.remove_prefix(1);
        _rest.remove_prefix(is_brace ? repetition_size(_rest) : 0);
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
            } else if (const size_t named = named_class_size(_rest); named != 0) {
                if (before == '-') { // the bracket could be the end of a range
                    return false;
                }
                _rest.remove_prefix(named);
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

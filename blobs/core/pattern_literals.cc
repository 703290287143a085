#include "blobs/core/pattern_literals.hh"

#include <cstdint>

#include "blobs/core/pattern_syntax.hh"

namespace blobs {
namespace {

// Behind an escaped one of these comes what it was without the backslash.
constexpr std::string_view escaped_literals = R"(.^$|()[]{}*+?\/-"' #,:;<=>@!%&~`)";

class literal_scanner {
public:
    explicit literal_scanner(std::string_view pattern) : _rest(pattern) {}

    std::vector<std::string> scan() {
        while (!_rest.empty() && !_is_given_up) {
            step();
        }
        end_run();
        return _is_given_up ? std::vector<std::string>() : std::move(_found);
    }

private:
    void step() {
        const char c = take();
        switch (c) {
        case '|': _is_given_up = true; return;
        case '(': return skip_group();
        case '[': return skip_class();
        case '\\': return take_escape();
        case '.':
        case '^':
        case '$': return end_run();
        case '*':
        case '?': return drop_last(); // what stands before may be missing
        case '{': return take_brace();
        case '+': return end_run(); // at least once: the run ends with it
        default: _run.push_back(c);
        }
    }

    char take() {
        const char c = _rest.front();
        _rest.remove_prefix(1);
        return c;
    }

    void end_run() {
        if (!_run.empty()) {
            _found.push_back(std::move(_run));
        }
        _run.clear();
    }

    // The quantifier is of the last character, which may have several bytes.
    void drop_last() {
        while (!_run.empty() && (static_cast<uint8_t>(_run.back()) & 0xc0) == 0x80) {
            _run.pop_back();
        }
        if (!_run.empty()) {
            _run.pop_back();
        }
        end_run();
    }

    void take_brace() {
        const size_t size = repetition_size(_rest);
        if (size == 0) {
            _run.push_back('{');
            return;
        }
        drop_last();
        _rest.remove_prefix(size);
    }

    void take_escape() {
        if (_rest.empty()) {
            _is_given_up = true;
            return;
        }
        const char c = take();
        if (escaped_literals.contains(c)) {
            _run.push_back(c);
            return;
        }
        end_run();
        // Classes and anchors of one letter. Anything longer (\Q, \x, \p, octal) could hide brackets, and is given up on.
        _is_given_up = !std::string_view("dDwWsSbBAztnrfv").contains(c);
    }

    // Up to its end, with all that is inside; flags in front of anything would change what the rest means.
    void skip_group() {
        end_run();
        if (_rest.starts_with("?") && !_rest.starts_with("?:") && !_rest.starts_with("?P<") && !_rest.starts_with("?<")) {
            _is_given_up = true;
            return;
        }
        for (size_t depth = 1; depth != 0;) {
            if (_rest.empty()) {
                _is_given_up = true;
                return;
            }
            const char c = take();
            if (c == '\\') {
                take_escape();
                _run.clear();
                if (_is_given_up) {
                    return;
                }
            } else if (c == '[') {
                skip_class();
            } else if (c == '(' && _rest.starts_with("?") && !_rest.starts_with("?:")) {
                _is_given_up = true;
                return;
            } else {
                depth += c == '(' ? 1 : 0;
                depth -= c == ')' ? 1 : 0;
            }
        }
    }

    // A bracket right behind the opening one, or behind its ^, is a member.
    void skip_class() {
        end_run();
        if (_rest.starts_with('^')) {
            take();
        }
        if (_rest.starts_with(']')) {
            take();
        }
        for (char before = 0; !_rest.empty();) {
            const size_t named = named_class_size(_rest);
            if (named != 0 && before == '-') {
                break; // the bracket could be the end of a range
            }
            if (named != 0) {
                _rest.remove_prefix(named);
                before = 0;
                continue;
            }
            before = take();
            if (before == ']') {
                return;
            }
            if (before == '\\' && !_rest.empty()) {
                take();
            }
        }
        _is_given_up = true;
    }

    std::string_view _rest;
    std::string _run;
    std::vector<std::string> _found;
    bool _is_given_up = false;
};

} // namespace

std::vector<std::string> required_literals(std::string_view pattern) {
    return literal_scanner(pattern).scan();
}

} // namespace blobs

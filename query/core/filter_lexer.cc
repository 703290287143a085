#include "query/core/filter_lexer.hh"

namespace query {
namespace {

constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Letters of every script count, as in C# identifiers; no byte of a multi-byte character has another meaning here.
constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

constexpr bool continues_number(char c) {
    return is_digit(c) || is_letter(c) || c == '.' || c == ':' || c == '+' || c == '-';
}

// The type that a word gives to the string right behind it.
constexpr token_kind kind_of_prefix(std::string_view word) {
    if (word == "datetime") {
        return token_kind::datetime;
    }
    if (word == "guid") {
        return token_kind::guid;
    }
    return word == "X" || word == "binary" ? token_kind::binary : token_kind::word;
}

} // namespace

token lexer::make(token_kind kind, size_t end) {
    const token made{kind, _at, end, _text.substr(_at, end - _at)};
    _at = end;
    return made;
}

bool lexer::is_name_byte(char c) const {
    return is_letter(c) || is_digit(c) || (c == '.' && _dialect == dialect::native);
}

// From the quote at `open` to its fellow; a doubled one stands for itself.
token lexer::quoted(token_kind kind, size_t open) {
    const char quote = _text[open];
    for (size_t close = _text.find(quote, open + 1); close != std::string_view::npos; close = _text.find(quote, close + 2)) {
        if (close + 1 == _text.size() || _text[close + 1] != quote) {
            return make(kind, close + 1);
        }
    }
    return make(token_kind::invalid, _text.size());
}

token lexer::word() {
    size_t end = _at;
    while (end < _text.size() && is_name_byte(_text[end])) {
        ++end;
    }
    const auto text = _text.substr(_at, end - _at);
    const char behind = end < _text.size() ? _text[end] : ' ';
    if (behind == '\'' && kind_of_prefix(text) != token_kind::word) {
        return quoted(kind_of_prefix(text), end);
    }
    if (behind == '"' && (text == "tag." || text == "field.")) {
        return quoted(token_kind::quoted_name, end);
    }
    return make(token_kind::word, end);
}

token lexer::next() {
    while (_at < _text.size() && is_blank(_text[_at])) {
        ++_at;
    }
    if (_at == _text.size()) {
        return make(token_kind::end, _at);
    }
    const char c = _text[_at];
    if (is_letter(c)) {
        return word();
    }
    if (is_digit(c) || c == '-') {
        size_t end = _at + 1;
        while (end < _text.size() && continues_number(_text[end])) {
            ++end;
        }
        return make(token_kind::number, end);
    }
    switch (c) {
    case '\'': return quoted(token_kind::string, _at);
    case '(': return make(token_kind::open, _at + 1);
    case ')': return make(token_kind::close, _at + 1);
    case ',': return make(token_kind::comma, _at + 1);
    case '"':
        if (_dialect == dialect::native) {
            return quoted(token_kind::quoted_name, _at);
        }
        break;
    default: break;
    }
    return make(token_kind::invalid, _at + 1);
}

} // namespace query

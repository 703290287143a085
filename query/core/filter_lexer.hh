// Text of a filter -> tokens, one at a time, each byte looked at once.
//
// Keywords are words like any other here; only the place where a word stands tells an operator from a name (a property may
// well be called `and`). Likewise a run that begins like a number is one token to its end: the parser knows whether
// `-15m` or `2026-11-16T09:30:00Z` is a time or a mistake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace query {

enum class dialect : uint8_t {
    table_service, // $filter
    native,        // where: adds functions, tag.x and field.x, names with dots, "any name at all"
};

enum class token_kind : uint8_t {
    end,
    word,        // a name or a keyword
    quoted_name, // "http.code", tag."http.code"; native only
    string,      // 'O''Neil'
    datetime,    // datetime'...'
    guid,        // guid'...'
    binary,      // X'...', binary'...'
    number,      // from a digit or a minus on
    open,
    close,
    comma,
    invalid, // a byte that begins nothing, or a quote that is never closed
};

struct token {
    token_kind kind;
    size_t begin;
    size_t end;            // just after
    std::string_view text; // [begin, end) of the filter, quotes and all
};

class lexer {
public:
    // Borrows the text.
    lexer(std::string_view text, dialect d) : _text(text), _dialect(d) {}

    // Gives `end` for ever once the text is used up.
    token next();

private:
    token make(token_kind, size_t end);
    token word();
    token quoted(token_kind, size_t open);
    bool is_name_byte(char) const;

    std::string_view _text;
    dialect _dialect;
    size_t _at = 0;
};

} // namespace query

// One side of a comparison, and what the literal beside `time` or `level` means. Part of the parser.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "query/core/filter_ast.hh"
#include "query/core/filter_lexer.hh"

namespace query {

// A name, a literal, or neither: `null`, or text that begins like a literal and is none (but may be a time).
struct operand {
    token where{};
    std::optional<subject> name;
    std::optional<literal> constant;

    bool is_null() const { return where.kind == token_kind::word && where.text == "null"; }
    bool is_malformed() const { return !name && !constant && !is_null(); }
    bool is_plain(std::string_view text) const { return name && name->scope == name_scope::any && name->name == text; }
};

// Nothing when the token cannot be an operand.
std::optional<operand> read_operand(const token&, dialect);

// What `time` compares with: nanoseconds since 1970. Or a sentence saying why not.
std::expected<literal, std::string> read_time(const operand&, int64_t now_ns);

// What `level` compares with: a severity for a string, any other literal as it is. Or a sentence saying why not.
std::expected<literal, std::string> read_level(const literal&);

} // namespace query

#include "query/core/filter_parser.hh"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "query/core/filter_builder.hh"
#include "query/core/filter_operand.hh"
#include "tables/core/unicode.hh"

namespace query {
namespace {

constexpr std::string_view invalid_input = "One of the request inputs is not valid.";
constexpr std::string_view not_implemented = "The requested operation is not implemented on the specified resource.";

struct comparison_word {
    std::string_view word;
    std::string_view long_name; // as error messages have it
    comparison op;
};
constexpr std::array<comparison_word, 6> comparison_words{{
    {"eq", "Equal", comparison::eq},
    {"ne", "NotEqual", comparison::ne},
    {"lt", "LessThan", comparison::lt},
    {"le", "LessThanOrEqual", comparison::le},
    {"gt", "GreaterThan", comparison::gt},
    {"ge", "GreaterThanOrEqual", comparison::ge},
}};

struct text_function {
    std::string_view name;
    node_kind kind;
};
constexpr std::array<text_function, 4> text_functions{{
    {"contains", node_kind::contains},
    {"startswith", node_kind::starts_with},
    {"endswith", node_kind::ends_with},
    {"matchesPattern", node_kind::matches_pattern},
}};

constexpr std::array<std::string_view, 5> arithmetic_words{"add", "sub", "mul", "div", "mod"};

const comparison_word* comparison_of(const token& t) {
    const auto found = std::ranges::find(comparison_words, t.text, &comparison_word::word);
    return t.kind == token_kind::word && found != comparison_words.end() ? &*found : nullptr;
}

// A function that returns false has set _error, and that ends the parse.
class parser {
public:
    parser(std::string_view text, dialect d, int64_t now_ns)
        : _text(text), _dialect(d), _now_ns(now_ns), _lexer(text, d), _next(_lexer.next()),
          _builder(d == dialect::native ? number_rule::by_value : number_rule::by_type) {}

    std::expected<filter, filter_error> run();

private:
    bool parse_all();
    bool open_groups();
    bool begin_condition();
    bool continue_condition();
    bool join_next();
    bool close_group();
    bool end_bare();
    bool end_group();

    bool take_operand(operand& into);
    bool take_right_operand(operand& into);
    bool take(token_kind);
    bool take_call(const token& function);
    bool take_comparison(const comparison_word&);
    bool add_comparison(const operand& left, const comparison_word&, const operand& right);

    bool is_word(std::string_view word) const { return _next.kind == token_kind::word && _next.text == word; }
    bool is_native() const { return _dialect == dialect::native; }
    size_t position_behind(const token& t) const { return tables::utf16_length(_text.substr(0, t.end)); }
    void advance() { _next = _lexer.next(); }

    bool fail_depth();
    bool fail_size();
    bool fail(const token&, filter_errc, std::string message);
    bool fail_syntax(const token&);
    bool fail_not_implemented(const token&, std::string_view native_message);
    bool refuse(const token&, filter_errc, std::string message);

    std::string_view _text;
    dialect _dialect;
    int64_t _now_ns;
    lexer _lexer;
    token _next;
    filter_builder _builder;
    std::optional<operand> _bare; // an operand just read, before it is known whether a comparison follows
    std::optional<filter_error> _error;
    std::optional<filter_error> _refusal; // the first condition that is well-formed but not served; syntax errors go before it
};

std::expected<filter, filter_error> parser::run() {
    const bool is_blank = _next.kind == token_kind::end;
    if (!is_blank && !parse_all()) {
        return std::unexpected(std::move(*_error));
    }
    if (_refusal) {
        return std::unexpected(std::move(*_refusal));
    }
    return std::move(_builder.out());
}

bool parser::parse_all() {
    for (;;) {
        if (!open_groups() || !begin_condition() || !continue_condition()) {
            return false;
        }
        if (_next.kind == token_kind::end && _builder.is_outermost()) {
            return end_group();
        }
        if (!join_next()) {
            return false;
        }
    }
}

// Any number of `not` and `(`.
bool parser::open_groups() {
    for (;; advance()) {
        const bool is_not = is_word("not");
        if (!is_not && _next.kind != token_kind::open) {
            return true;
        }
        if (!(is_not ? _builder.negate() : _builder.open())) {
            return fail_depth();
        }
    }
}

bool parser::begin_condition() {
    operand first;
    if (!take_operand(first)) {
        return false;
    }
    if (_next.kind == token_kind::open && first.where.kind == token_kind::word) {
        return take_call(first.where);
    }
    _bare = std::move(first);
    return true;
}

// Comparisons and closing parentheses, in any order that makes sense: `((x) eq 1)`.
bool parser::continue_condition() {
    for (;;) {
        if (const auto* op = comparison_of(_next)) {
            if (!take_comparison(*op)) {
                return false;
            }
        } else if (_next.kind == token_kind::close && !_builder.is_outermost()) {
            if (!close_group()) {
                return false;
            }
        } else {
            return true;
        }
    }
}

// `and` or `or`; anything else has no place behind a condition.
bool parser::join_next() {
    if (_bare && std::ranges::contains(arithmetic_words, _next.text)) {
        return fail_not_implemented(_next, "There is no arithmetic in filters.");
    }
    const bool is_or = is_word("or");
    if (!is_or && !is_word("and")) {
        return fail_syntax(_next);
    }
    if (!end_bare()) {
        return false;
    }
    if (!_builder.end_condition()) {
        return fail_size();
    }
    if (is_or) {
        _builder.end_conjunction();
    }
    advance();
    return true;
}

bool parser::close_group() {
    // `(x) eq 1`: parentheses around one operand leave it an operand.
    const bool is_operand = _bare && _builder.is_untouched();
    if (!is_operand && !end_group()) {
        return false;
    }
    _builder.close();
    advance();
    return true;
}

bool parser::end_group() {
    return end_bare() && (_builder.end_group() || fail_size());
}

// An operand with no comparison behind it: a name or a Boolean is a condition by itself.
bool parser::end_bare() {
    if (!_bare) {
        return true;
    }
    const operand bare = std::move(*_bare);
    _bare.reset();
    if (bare.name) {
        _builder.out().add_holds(*bare.name);
        return true;
    }
    if (bare.constant && bare.constant->type() == tables::value_type::boolean) {
        _builder.out().add_constant(bare.constant->value().as_boolean());
        return true;
    }
    return fail_syntax(bare.where);
}

bool parser::take_operand(operand& into) {
    auto read = read_operand(_next, _dialect);
    if (!read) {
        return fail_syntax(_next);
    }
    into = std::move(*read);
    advance();
    return true;
}

// Behind an operator only an operand can stand, so the parentheses around it need no group.
bool parser::take_right_operand(operand& into) {
    size_t parentheses_count = 0;
    for (; _next.kind == token_kind::open; ++parentheses_count, advance()) {
        if (!_builder.enter()) {
            return fail_depth();
        }
    }
    _builder.leave(parentheses_count);
    if (!take_operand(into)) {
        return false;
    }
    if (_next.kind == token_kind::open && into.where.kind == token_kind::word) {
        return fail_not_implemented(into.where, "A function cannot stand on the right side of a comparison.");
    }
    for (; parentheses_count > 0; --parentheses_count) {
        if (!take(token_kind::close)) {
            return false;
        }
    }
    return true;
}

bool parser::take(token_kind kind) {
    if (_next.kind != kind) {
        return fail_syntax(_next);
    }
    advance();
    return true;
}

// contains(name,'x')
bool parser::take_call(const token& function) {
    const auto found = std::ranges::find(text_functions, function.text, &text_function::name);
    if (!is_native() || found == text_functions.end()) {
        return fail_not_implemented(function, "The functions are contains, startswith, endswith and matchesPattern.");
    }
    operand name;
    operand argument;
    if (!take(token_kind::open) || !take_operand(name) || !take(token_kind::comma) || !take_operand(argument) ||
        !take(token_kind::close)) {
        return false;
    }
    if (!name.name || argument.where.kind != token_kind::string) {
        return fail_syntax(name.name ? argument.where : name.where);
    }
    if (name.is_plain("time") || name.is_plain("level")) {
        return refuse(name.where, filter_errc::bad_value, fmt::format("{} is not text; compare it instead.", name.name->name));
    }
    _builder.out().add_text_test(found->kind, *name.name, argument.constant->value().as_string());
    return true;
}

bool parser::take_comparison(const comparison_word& op) {
    if (!_bare) {
        return fail_not_implemented(_next, "A condition cannot be compared: write not (..) instead of (..) eq false.");
    }
    advance();
    operand right;
    if (!take_right_operand(right) || !add_comparison(*_bare, op, right)) {
        return false;
    }
    _bare.reset();
    return true;
}

bool parser::add_comparison(const operand& left, const comparison_word& op, const operand& right) {
    if (left.is_null() || right.is_null()) {
        constexpr auto wording = "The operator '{}' is not supported for the 'null' literal; only equality checks are supported.";
        const bool is_equality = op.op == comparison::eq || op.op == comparison::ne;
        constexpr std::string_view hint =
            "Nothing is equal to null. A row that lacks a name does not match any condition on it, so "
            "not (x eq '' or x ne '') finds the rows without an x.";
        return refuse(right.where, filter_errc::null_literal,
                      is_native()   ? std::string(hint)
                      : is_equality ? std::string(invalid_input)
                                    : fmt::format(wording, op.long_name));
    }
    const bool is_swapped = !left.name || (is_native() && right.is_plain("time"));
    const operand& name = is_swapped ? right : left;
    const operand& other = is_swapped ? left : right;
    const bool is_time = is_native() && name.is_plain("time");
    if (!is_time && (left.is_malformed() || right.is_malformed())) {
        return fail_syntax(left.is_malformed() ? left.where : right.where);
    }
    if (!name.name || (!is_time && other.name)) {
        constexpr std::string_view hint = "A comparison needs a name on one side and a literal on the other.";
        return refuse(right.where, filter_errc::not_implemented, std::string(is_native() ? hint : not_implemented));
    }
    const auto against = is_time                                 ? read_time(other, _now_ns)
                         : is_native() && name.is_plain("level") ? read_level(*other.constant)
                                                                 : std::expected<literal, std::string>(*other.constant);
    if (!against) {
        return refuse(other.where, filter_errc::bad_value, against.error());
    }
    _builder.out().add_compare(*name.name, is_swapped ? mirrored(op.op) : op.op, against->value());
    return true;
}

bool parser::fail_depth() {
    return fail(_next, filter_errc::too_large, fmt::format("The filter is nested more than {} deep.", filter_depth_max));
}

bool parser::fail_size() {
    return fail(_next, filter_errc::too_large, fmt::format("The filter has more than {} parts.", filter_nodes_max));
}

bool parser::fail(const token& t, filter_errc code, std::string message) {
    _error = filter_error{code, position_behind(t), std::move(message)};
    return false;
}

bool parser::fail_syntax(const token& t) {
    return fail(t, filter_errc::syntax, fmt::format("Syntax error at position {} in '{}'.", position_behind(t), _text));
}

bool parser::fail_not_implemented(const token& t, std::string_view native_message) {
    return fail(t, filter_errc::not_implemented, std::string(is_native() ? native_message : not_implemented));
}

// A constant stands in for the condition, so that parsing goes on to what may be a syntax error.
bool parser::refuse(const token& t, filter_errc code, std::string message) {
    if (!_refusal) {
        _refusal = filter_error{code, position_behind(t), std::move(message)};
    }
    _builder.out().add_constant(false);
    return true;
}

} // namespace

std::expected<filter, filter_error> parse_filter(std::string_view text, dialect d, int64_t now_ns) {
    if (text.size() > filter_bytes_max) {
        return std::unexpected(filter_error{filter_errc::too_large, filter_bytes_max,
                                            fmt::format("The filter is longer than {} bytes.", filter_bytes_max)});
    }
    if (!tables::is_utf8(text)) { // first of all, because messages repeat the text
        const bool is_native = d == dialect::native;
        return std::unexpected(
            filter_error{filter_errc::not_utf8, 0, std::string(is_native ? "It is not valid UTF-8." : invalid_input)});
    }
    return parser(text, d, now_ns).run();
}

} // namespace query

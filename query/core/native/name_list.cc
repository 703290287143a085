#include "query/core/native/name_list.hh"

#include <algorithm>

#include <fmt/format.h>

#include "query/core/filter_lexer.hh"
#include "query/core/filter_operand.hh"
#include "query/core/native/limits.hh"

namespace query {

base::expected<std::vector<subject>> parse_names(std::string_view parameter, std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        return base::fail(base::errc::invalid_argument, fmt::format("{}: {}", parameter, why));
    };
    std::vector<subject> names;
    lexer tokens(text, dialect::native);
    for (;;) {
        const auto name = read_operand(tokens.next(), dialect::native);
        if (!name || !name->name) {
            return refuse("expected names with commas between them, as in usage_user,tag.host,\"any name\"");
        }
        names.push_back(*name->name);
        const auto behind = tokens.next();
        if (behind.kind == token_kind::end) {
            return names;
        }
        if (behind.kind != token_kind::comma) {
            return refuse(fmt::format("expected a comma before '{}'", behind.text));
        }
        if (names.size() == listed_names_max) {
            return refuse(fmt::format("more than {} names", listed_names_max));
        }
    }
}

std::string to_text(const subject& s) {
    std::string_view scope = s.scope == name_scope::tag ? "tag." : s.scope == name_scope::field ? "field." : "";
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const bool is_word = !s.name.empty() && !(s.name[0] >= '0' && s.name[0] <= '9') && std::ranges::all_of(s.name, is_plain);
    if (is_word) {
        return fmt::format("{}{}", scope, s.name);
    }
    std::string quoted;
    for (char c : s.name) {
        quoted += c;
        if (c == '"') {
            quoted += c;
        }
    }
    return fmt::format("{}\"{}\"", scope, quoted);
}

std::string to_label(const subject& s) {
    return (s.scope == name_scope::tag ? "tag." : s.scope == name_scope::field ? "field." : "") + s.name;
}

} // namespace query

#include "ingest/core/influx_query.hh"

#include <algorithm>

namespace ingest {
namespace {

constexpr std::string_view statement_blanks = " \t\r\n;";

// The next word in upper case, cut to what any keyword needs.
std::string take_keyword(std::string_view& text) {
    constexpr size_t word_bytes_max = 16;
    text.remove_prefix(std::min(text.find_first_not_of(statement_blanks), text.size()));
    const auto word = text.substr(0, text.find_first_of(statement_blanks));
    text.remove_prefix(word.size());
    std::string upper(word.substr(0, word_bytes_max));
    std::ranges::transform(upper, upper.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; });
    return upper;
}

} // namespace

influx_statement classify_influx_query(std::string_view text) {
    const auto verb = take_keyword(text);
    const auto noun = take_keyword(text);
    if (verb == "SHOW" && noun == "DATABASES") {
        return influx_statement::show_databases;
    }
    return verb == "CREATE" && noun == "DATABASE" ? influx_statement::create_database : influx_statement::other;
}

std::string influx_reply(influx_statement statement) {
    if (statement == influx_statement::show_databases) {
        return R"({"results":[{"statement_id":0,"series":[{"name":"databases","columns":["name"],"values":[["downtick"]]}]}]})"
               "\n";
    }
    return "{\"results\":[{\"statement_id\":0}]}\n";
}

} // namespace ingest

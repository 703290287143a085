// downtick families, sources, table, blob: what there is.

#include <algorithm>
#include <array>

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>

#include "cli/connection.hh"
#include "cli/listing.hh"
#include "cli/option_line.hh"
#include "cli/row_table.hh"
#include "http/core/percent.hh"

namespace cli {
namespace {

// Tables of families have more than others.
constexpr std::array<std::string_view, 5> table_columns{"name", "created", "family", "period", "start"};

// `first` are columns that come first, in this order.
int print_list(const connection_options& connection, const std::string& path, const std::string& member,
               std::span<const std::string_view> first = {}) {
    const auto rows = read_list(connection, path, member);
    if (!rows) {
        return complain(rows.error());
    }
    fmt::print("{}", format_table(*rows, {.first_columns = first}));
    return 0;
}

// A family's tables have the period they were made with; a policy may say that the next ones have another.
int print_families(const connection_options& connection) {
    auto rows = read_list(connection, "/v1/families", "families");
    const auto policies = rows ? read_list(connection, "/v1/retention", "policies") : rows;
    if (!policies) {
        return complain(policies.error());
    }
    for (const auto& policy : *policies) {
        const auto* name = cell_of(policy, "name");
        const auto* period = cell_of(policy, "period");
        for (auto& row : *rows) {
            const auto shown = std::ranges::find(row.cells, "period", &flat_row::cell::name);
            if (name != nullptr && period != nullptr && shown != row.cells.end() && !period->text.empty() &&
                shown->text != period->text && has_cell(row, "name", name->text)) {
                shown->text += fmt::format(" (next {})", period->text);
            }
        }
    }
    fmt::print("{}", format_table(*rows, {}));
    return 0;
}

bool is_open_blob(const connection_options& connection, std::string_view name) {
    const auto rows = read_list(connection, "/v1/blobs?prefix=" + http::percent_encode(name), "blobs");
    return rows && std::ranges::any_of(
                       *rows, [&](const flat_row& row) { return has_cell(row, "name", name) && has_cell(row, "state", "open"); });
}

int print_blob(const connection_options& connection, std::string_view name) {
    const auto print = [](std::string_view piece) { return print_piece(piece, true); };
    auto reply = ask_for_good(connection, {.path = "/v1/blobs/" + http::percent_encode(name), .on_body = print});
    if (!reply && is_open_blob(connection, name)) {
        const auto source = name.substr(0, name.find('/'));
        return complain({base::errc::io_error,
                         fmt::format("{} is still open: it is sealed some five minutes after its first record, or when it is "
                                     "large. Until then read it with: downtick tail source:{}",
                                     name, source)});
    }
    return reply ? 0 : complain(reply.error());
}

int change_table(const connection_options& connection, std::string method, std::string_view name, std::string_view done) {
    auto reply = ask_for_good(connection, {.method = std::move(method), .path = "/v1/tables/" + http::percent_encode(name)});
    if (!reply) {
        return complain(reply.error());
    }
    fmt::print("{} {}\n", done, name);
    return 0;
}

// What is left away is not sent: the server refuses to delete everything.
struct wanted_rows {
    std::string where;
    std::string start;
    std::string end;

    void add_to(boost::program_options::options_description& options) {
        namespace po = boost::program_options;
        options.add_options()("where", po::value(&where)->value_name("FILTER"),
                              "of delete: rows that match, as in \"host eq 'a'\"")("start", po::value(&start)->value_name("TIME"),
                                                                                   "of delete: rows not older")(
            "end", po::value(&end)->value_name("TIME"), "of delete: rows older than that");
    }
    std::string query() const {
        std::string text;
        for (const auto& [name, value] : {std::pair("where", &where), std::pair("start", &start), std::pair("end", &end)}) {
            if (!value->empty()) {
                text += fmt::format("{}{}={}", text.empty() ? "?" : "&", name, http::percent_encode(*value));
            }
        }
        return text;
    }
};

int delete_rows(const connection_options& connection, std::string_view family, const wanted_rows& which) {
    auto reply = ask_for_good(
        connection,
        {.method = "DELETE", .path = "/v1/families/" + http::percent_encode(family) + which.query(), .waits_forever = true});
    if (!reply) {
        return complain(reply.error());
    }
    fmt::print("{}", reply->body);
    return 0;
}

} // namespace

int families(const arguments& args) {
    connection_options connection;
    wanted_rows which;
    option_line line("families [NAME series|tags|fields | delete NAME --where FILTER --start TIME --end TIME --yes] [OPTIONS]",
                     "the families there are; what is in one of them; or delete rows of one");
    which.add_to(line.options());
    line.options().add_options()("yes", "of delete: really");
    connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    if (line.words().empty()) {
        return print_families(connection);
    }
    if (line.words().size() == 2 && line.words()[0] == "delete" && !which.query().empty()) {
        return line.has("yes") ? delete_rows(connection, line.words()[1], which)
                               : line.refuse("families: deleted rows do not come back; say --yes");
    }
    const bool is_list =
        line.words().size() == 2 && (line.words()[1] == "series" || line.words()[1] == "tags" || line.words()[1] == "fields");
    if (!is_list) {
        return line.refuse("families: a NAME goes with series, tags or fields; delete NAME with --where, --start or --end");
    }
    return print_list(connection, fmt::format("/v1/families/{}/{}", http::percent_encode(line.words()[0]), line.words()[1]),
                      line.words()[1]);
}

int sources(const arguments& args) {
    connection_options connection;
    option_line line("sources [OPTIONS]", "the sources of log records there are");
    connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    return line.words().empty() ? print_list(connection, "/v1/sources", "sources") : line.refuse("sources: takes no names");
}

int blob_command(const arguments& args) {
    connection_options connection;
    option_line line("blob ls [PREFIX]|cat NAME [OPTIONS]", "the blobs of logs there are; the text of one");
    connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    const auto& words = line.words();
    if ((words.size() == 1 || words.size() == 2) && words[0] == "ls") {
        return print_list(
            connection, "/v1/blobs" + (words.size() == 2 ? "?prefix=" + http::percent_encode(words[1]) : std::string()), "blobs");
    }
    if (words.size() == 2 && words[0] == "cat") {
        return print_blob(connection, words[1]);
    }
    return line.refuse("blob: ls, ls PREFIX or cat NAME");
}

int table_command(const arguments& args) {
    connection_options connection;
    option_line line("table ls|create NAME|drop NAME [OPTIONS]", "the tables there are; make one; drop one with all its rows");
    connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    const auto& words = line.words();
    if (words.size() == 1 && words[0] == "ls") {
        return print_list(connection, "/v1/tables", "tables", table_columns);
    }
    if (words.size() == 2 && words[0] == "create") {
        return change_table(connection, "PUT", words[1], "created");
    }
    if (words.size() == 2 && words[0] == "drop") {
        return change_table(connection, "DELETE", words[1], "dropped");
    }
    return line.refuse("table: ls, create NAME or drop NAME");
}

} // namespace cli

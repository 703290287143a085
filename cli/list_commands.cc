// downtick families, sources, table, blob: what there is.

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include "cli/connection.hh"
#include "cli/option_line.hh"
#include "cli/row_table.hh"
#include "http/core/percent.hh"

namespace cli {
namespace {

// All pages of a list, as one table. `member` is what the list is called in the reply.
int print_list(const connection_options& connection, const std::string& path, const std::string& member) {
    std::vector<flat_row> rows;
    for (std::string cursor;;) {
        const auto* const mark = path.contains('?') ? "&cursor=" : "?cursor=";
        auto reply = ask_for_good(connection, {.path = path + (cursor.empty() ? "" : mark + http::percent_encode(cursor))});
        if (!reply) {
            return complain(reply.error());
        }
        simdjson::dom::parser parser;
        simdjson::dom::element body;
        simdjson::dom::array items;
        if (parser.parse(reply->body).get(body) != simdjson::SUCCESS || body[member].get(items) != simdjson::SUCCESS) {
            return complain({base::errc::io_error, "the server sent a list that cannot be read"});
        }
        for (const auto item : items) {
            auto row = parse_row(simdjson::minify(item));
            if (!row) {
                return complain(row.error());
            }
            rows.push_back(std::move(*row));
        }
        std::string_view next;
        if (body["cursor"].get(next) != simdjson::SUCCESS) {
            break;
        }
        cursor = next;
    }
    fmt::print("{}", format_table(rows, {.has_colour = false}));
    return 0;
}

int print_blob(const connection_options& connection, std::string_view name) {
    const auto print = [](std::string_view piece) { return std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size(); };
    auto reply = ask_for_good(connection, {.path = "/v1/blobs/" + http::percent_encode(name), .on_body = print});
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
        options.add_options()("where", po::value(&where)->value_name("FILTER"), "of delete: rows that match, as in \"host eq 'a'\"")(
            "start", po::value(&start)->value_name("TIME"), "of delete: rows not older")(
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
    auto reply = ask_for_good(connection, {.method = "DELETE", .path = "/v1/families/" + http::percent_encode(family) + which.query()});
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
        return print_list(connection, "/v1/families", "families");
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
    return print_list(connection, "/v1/sources", "sources");
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
        return print_list(connection, "/v1/blobs" + (words.size() == 2 ? "?prefix=" + http::percent_encode(words[1]) : std::string()),
                          "blobs");
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
        return print_list(connection, "/v1/tables", "tables");
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

// downtick retention: what is kept how long, and dropping what is not.

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>
#include <simdjson.h>

#include "cli/connection.hh"
#include "cli/option_line.hh"
#include "cli/row_table.hh"
#include "http/core/percent.hh"

namespace cli {
namespace {

namespace po = boost::program_options;

int print_rows(const std::string& json, const char* member, const char* if_none) {
    simdjson::dom::parser parser;
    simdjson::dom::array items;
    if (parser.parse(json)[member].get(items) != simdjson::SUCCESS) {
        return complain({base::errc::io_error, "the server sent a list that cannot be read"});
    }
    std::vector<flat_row> rows;
    for (const auto item : items) {
        auto row = parse_row(simdjson::minify(item));
        if (!row) {
            return complain(row.error());
        }
        rows.push_back(std::move(*row));
    }
    fmt::print("{}", rows.empty() ? std::string(if_none) + "\n" : format_table(rows, {.has_colour = false}));
    return 0;
}

struct wanted_policy {
    std::string period;
    std::string keep;
    uint64_t max_bytes = 0;

    std::string json() const {
        std::string members;
        const auto add = [&members](std::string_view name, const std::string& value) {
            members += fmt::format("{}\"{}\":{}", members.empty() ? "" : ",", name, value);
        };
        if (!period.empty()) {
            add("period", '"' + period + '"');
        }
        if (!keep.empty()) {
            add("keep", '"' + keep + '"');
        }
        if (max_bytes > 0) {
            add("max_bytes", fmt::to_string(max_bytes));
        }
        return '{' + members + '}';
    }
};

} // namespace

int retention_command(const arguments& args) {
    connection_options connection;
    wanted_policy wanted;
    option_line line("retention ls|set NAME --keep 30d|unset NAME|run [--dry-run] [OPTIONS]",
                     "how long the tables of a family, or of NAME and a date, are kept; drop what is due");
    line.options().add_options()("keep", po::value(&wanted.keep)->value_name("LENGTH"), "45s, 12h, 30d, 4w after the end of a period")(
        "period", po::value(&wanted.period)->value_name("PERIOD"), "1h, 1d, 7d or month: of the family's tables made from now on")(
        "max-bytes", po::value(&wanted.max_bytes)->value_name("N"), "the oldest tables go when all take more")(
        "dry-run", "of run: only say what would be dropped");
    connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    const auto& words = line.words();
    call request;
    if (words.size() == 1 && words[0] == "ls") {
        request = {.path = "/v1/retention"};
    } else if (words.size() == 1 && words[0] == "run") {
        request = {.method = "POST", .path = line.has("dry-run") ? "/v1/retention/run?dry_run=true" : "/v1/retention/run"};
    } else if (words.size() == 2 && words[0] == "set" && wanted.json() != "{}") {
        request = {.method = "PUT", .path = "/v1/retention/" + http::percent_encode(words[1]), .body = wanted.json()};
    } else if (words.size() == 2 && words[0] == "unset") {
        request = {.method = "DELETE", .path = "/v1/retention/" + http::percent_encode(words[1])};
    } else {
        return line.refuse("retention: ls, set NAME with --keep, --period or --max-bytes, unset NAME, or run");
    }
    auto reply = ask_for_good(connection, request);
    if (!reply) {
        return complain(reply.error());
    }
    if (words[0] == "ls") {
        return print_rows(reply->body, "policies", "no policies: everything is kept");
    }
    if (words[0] == "run") {
        return print_rows(reply->body, "dropped", "nothing is due");
    }
    fmt::print("{}", reply->body);
    return 0;
}

} // namespace cli

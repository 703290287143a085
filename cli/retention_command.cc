// downtick retention: what is kept how long, and dropping what is not.

#include <array>
#include <optional>

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>
#include <simdjson.h>

#include "base/byte_size.hh"
#include "cli/connection.hh"
#include "cli/listing.hh"
#include "cli/option_line.hh"
#include "cli/row_table.hh"
#include "http/core/percent.hh"

namespace cli {
namespace {

namespace po = boost::program_options;

constexpr std::array<std::string_view, 2> run_columns{"table", "source"};

base::expected<std::vector<flat_row>> rows_of(const std::string& json, const char* member) {
    simdjson::dom::parser parser;
    simdjson::dom::array items;
    if (parser.parse(json)[member].get(items) != simdjson::SUCCESS) {
        return base::fail(base::errc::io_error, "the server sent a list that cannot be read");
    }
    std::vector<flat_row> rows;
    for (const auto item : items) {
        auto row = parse_row(simdjson::minify(item));
        if (!row) {
            return std::unexpected(row.error());
        }
        rows.push_back(std::move(*row));
    }
    return rows;
}

// What the words say; a text of "none" takes a bound away, an empty one leaves it as it is.
struct wanted_policy {
    std::string period;
    std::string keep;
    std::string max_bytes;

    bool is_empty() const { return period.empty() && keep.empty() && max_bytes.empty(); }

    // The policy as it will be, from the one there is.
    base::expected<std::string> json(const std::optional<simdjson::dom::element>& there) const {
        const auto merged = [&](std::string_view name, const std::string& wanted) -> std::string {
            simdjson::dom::element old;
            if (wanted.empty() && there && (*there)[name].get(old) == simdjson::SUCCESS) {
                return simdjson::minify(old);
            }
            return wanted.empty() || wanted == "none" ? "null" : '"' + wanted + '"';
        };
        std::string bytes = merged("max_bytes", max_bytes);
        if (bytes.starts_with('"')) {
            const auto count = base::parse_bytes(max_bytes);
            if (!count) {
                return base::fail(count.error().code, "max-bytes: " + count.error().detail);
            }
            bytes = fmt::to_string(*count);
        }
        return fmt::format(R"({{"period":{},"keep":{},"max_bytes":{}}})", merged("period", period), merged("keep", keep), bytes);
    }
};

base::expected<std::string> merged_policy(const connection_options& connection, std::string_view name,
                                          const wanted_policy& wanted) {
    const auto reply = ask_for_good(connection, {.path = "/v1/retention/" + http::percent_encode(name)});
    if (!reply && reply.error().code == base::errc::entity_not_found) {
        return wanted.json(std::nullopt);
    }
    if (!reply) {
        return std::unexpected(reply.error());
    }
    simdjson::dom::parser parser;
    simdjson::dom::element there;
    if (parser.parse(reply->body).get(there) != simdjson::SUCCESS) {
        return base::fail(base::errc::io_error, "the server sent a policy that cannot be read");
    }
    return wanted.json(there);
}

int set_policy(const connection_options& connection, std::string_view name, const wanted_policy& wanted) {
    auto body = merged_policy(connection, name, wanted);
    auto reply =
        body ? ask_for_good(connection, {.method = "PUT", .path = "/v1/retention/" + http::percent_encode(name), .body = *body})
             : std::unexpected(body.error());
    if (!reply) {
        return complain(reply.error());
    }
    fmt::print("{}", reply->body);
    return 0;
}

int unset_policy(const connection_options& connection, std::string_view name) {
    auto reply = ask_for_good(connection, {.method = "DELETE", .path = "/v1/retention/" + http::percent_encode(name)});
    if (!reply) {
        return complain(reply.error());
    }
    fmt::print("{} is kept for ever\n", name);
    return 0;
}

int list_policies(const connection_options& connection) {
    const auto rows = read_list(connection, "/v1/retention", "policies");
    if (!rows) {
        return complain(rows.error());
    }
    fmt::print("{}", rows->empty() ? std::string("no policies: everything is kept\n") : format_table(*rows, {}));
    return 0;
}

// Exit status 1 when something that is due could not be dropped.
int run_policies(const connection_options& connection, bool is_dry) {
    auto reply = ask_for_good(
        connection,
        {.method = "POST", .path = is_dry ? "/v1/retention/run?dry_run=true" : "/v1/retention/run", .waits_forever = true});
    auto rows = reply ? rows_of(reply->body, "dropped") : std::unexpected(reply.error());
    if (!rows) {
        return complain(rows.error());
    }
    fmt::print("{}", format_table(*rows, {.first_columns = run_columns}));
    simdjson::dom::parser parser;
    simdjson::dom::element report;
    simdjson::dom::array failures;
    uint64_t bytes = 0;
    if (parser.parse(reply->body).get(report) != simdjson::SUCCESS || report["bytes"].get(bytes) != simdjson::SUCCESS ||
        report["failures"].get(failures) != simdjson::SUCCESS) {
        return complain({base::errc::io_error, "the server sent a reply that cannot be read"});
    }
    for (const auto failure : failures) {
        std::string_view sentence;
        if (failure.get(sentence) == simdjson::SUCCESS) {
            fmt::print(stderr, "downtick: {}\n", sentence);
        }
    }
    fmt::print("{}", rows->empty()
                         ? std::string("nothing is due\n")
                         : fmt::format("{} {}: {} bytes\n", rows->size(), is_dry ? "would be dropped" : "dropped", bytes));
    return failures.size() == 0 ? 0 : 1;
}

} // namespace

int retention_command(const arguments& args) {
    connection_options connection;
    wanted_policy wanted;
    option_line line("retention ls|set NAME --keep 30d|unset NAME|run [--dry-run] [OPTIONS]",
                     "how long the tables of a family, or of NAME and a date, are kept; drop what is due\n"
                     "set leaves what it does not name as it is; none takes it away.");
    line.options().add_options()("keep", po::value(&wanted.keep)->value_name("LENGTH"),
                                 "45s, 12h, 30d, 4w after the end of a period")(
        "period", po::value(&wanted.period)->value_name("PERIOD"),
        "1h, 1d, 7d or month: of the family's tables made from now on")(
        "max-bytes", po::value(&wanted.max_bytes)->value_name("SIZE"),
        "the oldest tables go when all take more, e.g. 20G")("dry-run", "of run: only say what would be dropped");
    connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    const auto& words = line.words();
    if (words.size() == 1 && words[0] == "ls") {
        return list_policies(connection);
    }
    if (words.size() == 1 && words[0] == "run") {
        return run_policies(connection, line.has("dry-run"));
    }
    if (words.size() == 2 && words[0] == "set" && !wanted.is_empty()) {
        return set_policy(connection, words[1], wanted);
    }
    if (words.size() == 2 && words[0] == "unset") {
        return unset_policy(connection, words[1]);
    }
    return line.refuse("retention: ls, set NAME with --keep, --period or --max-bytes, unset NAME, or run");
}

} // namespace cli

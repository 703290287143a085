// downtick tail, downtick range: parameters to a URL, rows to a terminal.

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/connection.hh"
#include "cli/option_line.hh"
#include "cli/row_table.hh"
#include "http/core/percent.hh"

namespace cli {
namespace {

namespace po = boost::program_options;

// Silence that needs an explanation.
constexpr int silent_seconds_max = 2;

table_style style_of_output() {
    ::winsize size{};
    const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
    const bool has_size = is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return {.has_colour = is_terminal && std::getenv("NO_COLOR") == nullptr,
            .is_cut = is_terminal,
            .width = has_size ? size.ws_col : size_t{100}};
}

// Says on stderr that it still waits; wipes it away again.
class progress {
public:
    void tick() {
        ++_seconds;
        if (_seconds >= silent_seconds_max && ::isatty(STDERR_FILENO) != 0) {
            fmt::print(stderr, "\rwaiting for the server, {} s ", _seconds);
            _is_shown = true;
        }
    }
    // Of a live tail: once, when there was nothing to begin with.
    void tick_live() {
        if (++_seconds == silent_seconds_max && !_has_come) {
            fmt::print(stderr, "no rows yet; waiting for some to arrive\n");
        }
    }
    void end() {
        _has_come = true;
        if (std::exchange(_is_shown, false)) {
            fmt::print(stderr, "\r\033[K");
        }
        _seconds = 0;
    }

private:
    int _seconds = 0;
    bool _is_shown = false;
    bool _has_come = false;
};

// Lines out of pieces.
class line_feeder {
public:
    template <class Take>
    bool feed(std::string_view piece, Take take) {
        _rest += piece;
        size_t begin = 0;
        for (size_t end = 0; (end = _rest.find('\n', begin)) != _rest.npos; begin = end + 1) {
            if (end > begin && !take(std::string_view(_rest).substr(begin, end - begin))) {
                return false;
            }
        }
        _rest.erase(0, begin);
        return true;
    }

private:
    std::string _rest;
};

// What both commands have.
struct query_line {
    connection_options connection;
    std::string format = "table";
    std::vector<std::pair<std::string, std::string>> parameters; // of the URL, in their order

    void add_to(po::options_description& options) {
        connection.add_to(options);
        options.add_options()("format", po::value(&format)->default_value(format)->value_name("FORMAT"),
                              "table, json, ndjson, csv or arrow");
    }
    // A flag that is a parameter by the same name.
    void add_parameter(po::options_description& options, const char* flag, const char* value_name, const char* help) {
        std::string name(flag);
        name = name.substr(0, name.find(','));
        options.add_options()(flag,
                              po::value<std::string>()->value_name(value_name)->notifier([this, name](const std::string& text) {
                                  parameters.emplace_back(name == "rows" ? "n" : name, text);
                              }),
                              help);
    }
    std::string path(std::string_view verb) const {
        std::string text = fmt::format("/v1/{}?", verb);
        for (const auto& [name, value] : parameters) {
            text += fmt::format("{}{}={}", text.back() == '?' ? "" : "&", name, http::percent_encode(value));
        }
        return text;
    }
};

std::string_view accept_of(std::string_view format) {
    static constexpr std::pair<std::string_view, std::string_view> types[] = {{"table", "application/x-ndjson"},
                                                                              {"json", "application/json"},
                                                                              {"ndjson", "application/x-ndjson"},
                                                                              {"csv", "text/csv"},
                                                                              {"arrow", "application/vnd.apache.arrow.stream"}};
    for (const auto& [name, type] : types) {
        if (name == format) {
            return type;
        }
    }
    return {};
}

int run(const query_line& line, std::string_view verb, bool is_live) {
    const auto style = style_of_output();
    progress waiting;
    line_feeder lines;
    std::vector<flat_row> rows;
    std::optional<base::error> problem;
    const bool is_table = line.format == "table";
    const auto take_row = [&](std::string_view json) {
        auto row = parse_row(json);
        if (!row) {
            problem = row.error();
            return false;
        }
        if (is_live) {
            fmt::print("{}", format_line(*row, style));
            return std::fflush(stdout) == 0;
        }
        rows.push_back(std::move(*row));
        return true;
    };
    const auto take_piece = [&](std::string_view piece) {
        waiting.end();
        if (is_table) {
            return lines.feed(piece, take_row);
        }
        return print_piece(piece, line.format == "csv") && (!is_live || std::fflush(stdout) == 0);
    };
    auto reply = ask_for_good(line.connection, {.path = line.path(verb),
                                                .accept = std::string(accept_of(line.format)),
                                                .on_body = take_piece,
                                                .on_wait = [&] { is_live ? waiting.tick_live() : waiting.tick(); },
                                                .waits_forever = is_live});
    waiting.end();
    if (!reply || problem) {
        return complain(problem ? *problem : reply.error());
    }
    if (is_table && !is_live) {
        fmt::print("{}", format_table(rows, style));
        if (rows.empty()) {
            fmt::print(stderr, "no rows\n");
        }
    }
    if (const auto damaged = reply->headers.find("x-downtick-damaged"); damaged != reply->headers.end()) {
        fmt::print(stderr, "left out, as it cannot be read: {}\n", damaged->second);
    }
    const auto cursor = reply->headers.find("x-downtick-cursor");
    if (cursor != reply->headers.end() && line.format != "json") {
        fmt::print(stderr, "there is more: --cursor {}\n", cursor->second);
    }
    return 0;
}

} // namespace

int tail(const arguments& args) {
    query_line query;
    option_line line("tail FROM [OPTIONS]",
                     "the newest rows of FROM, newest first\n"
                     "FROM: a family or source, family:NAME, source:NAME, table:NAME, some of them with commas, or *");
    query.add_to(line.options());
    query.add_parameter(line.options(), "rows,n", "N", "how many rows (10)");
    query.add_parameter(line.options(), "partition", "KEY", "only this series or PartitionKey");
    query.add_parameter(line.options(), "where", "FILTER", "only rows that match, as in \"level le 'error'\"");
    query.add_parameter(line.options(), "select", "NAMES", "only these columns");
    line.options().add_options()("follow,f", "stay, and print rows as they arrive");
    if (const auto done = line.parse(args)) {
        return *done;
    }
    if (line.words().size() != 1 || accept_of(query.format).empty()) {
        return line.refuse(line.words().size() != 1 ? "tail: name one FROM"
                                                    : "tail: --format is table, json, ndjson, csv or arrow");
    }
    const bool is_live = line.has("follow");
    query.parameters.insert(query.parameters.begin(), {"from", line.words()[0]});
    if (is_live) {
        query.parameters.emplace_back("follow", "true");
    }
    return run(query, "tail", is_live);
}

int range(const arguments& args) {
    query_line query;
    option_line line("range FROM [OPTIONS]", "rows of FROM between two times, oldest first, or aggregates of them\n"
                                             "Times: 2026-11-16T09:30:00Z, Unix time, -15m, now. FROM as in tail.");
    query.add_to(line.options());
    const auto add = [&](const char* flag, const char* value_name, const char* help) {
        query.add_parameter(line.options(), flag, value_name, help);
    };
    add("start", "TIME", "from here on");
    add("end", "TIME", "up to here, not included");
    add("partition", "KEY", "only this series or PartitionKey");
    add("where", "FILTER", "only rows that match");
    add("select", "NAMES", "only these columns");
    add("order", "ORDER", "asc (oldest first) or desc");
    add("limit", "N", "at most so many rows (1000)");
    add("agg", "LIST", "aggregates, as in \"max(usage_user),count(*)\"");
    add("every", "LENGTH", "of each bucket, as in 1m");
    add("by", "TAGS", "a row for each of their values");
    add("cursor", "CURSOR", "go on where the page before ended");
    if (const auto done = line.parse(args)) {
        return *done;
    }
    if (line.words().size() != 1 || accept_of(query.format).empty()) {
        return line.refuse(line.words().size() != 1 ? "range: name one FROM"
                                                    : "range: --format is table, json, ndjson, csv or arrow");
    }
    query.parameters.insert(query.parameters.begin(), {"from", line.words()[0]});
    return run(query, "range", false);
}

} // namespace cli

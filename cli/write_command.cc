// downtick write: lines of line protocol, from the command line or from a pipe.

#include <algorithm>
#include <iostream>
#include <ranges>
#include <utility>

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>
#include <simdjson.h>

#include "cli/connection.hh"
#include "cli/option_line.hh"
#include "http/core/percent.hh"

namespace cli {
namespace {

namespace po = boost::program_options;

// Of one request; a pipe may have more.
constexpr size_t batch_bytes = 1 << 20;
// With a point that has not ended by then. The server takes none that is longer than a MiB.
constexpr size_t batch_bytes_max = 2 << 20;

// Of all that are not taken; each request lists some.
constexpr size_t bad_lines_shown_max = 100;

// Blank lines and comments are no points.
bool is_point(std::string_view line) {
    const size_t first = line.find_first_not_of(" \t\r");
    return first != line.npos && line[first] != '#';
}

// Where points end: a quoted string may hold line feeds, and what is behind one belongs to the same point. Quotes count where the
// fields are, behind the first space that is not escaped.
class point_ends {
public:
    // True when the line does not go on with the point before.
    bool begins_point(std::string_view line) const { return !_is_quoted && is_point(line); }
    // True when nothing of the line goes on in the next.
    bool take(std::string_view line) {
        size_t at = _is_quoted ? 0 : begin_of_fields(line);
        for (; at < line.size(); ++at) {
            if (line[at] == '\\') {
                ++at;
            } else if (line[at] == '"') {
                _is_quoted = !_is_quoted;
            }
        }
        return !_is_quoted;
    }

private:
    static size_t begin_of_fields(std::string_view line) {
        size_t at = is_point(line) ? line.find_first_not_of(" \t") : line.size();
        while (at < line.size() && line[at] != ' ') {
            at += line[at] == '\\' ? 2 : 1;
        }
        return at;
    }

    bool _is_quoted = false;
};

// Lines on their way to the server, a batch at a time. What it does not take is told by its number among all of them, and the
// others go on.
class line_sender {
public:
    line_sender(const connection_options& connection, const std::string& precision)
        : _connection(connection), _path("/write?precision=" + http::percent_encode(precision)) {}

    base::expected<void> add(const std::string& text) {
        _batch += text + '\n';
        bool is_end = true;
        for (const auto one : std::views::split(text, '\n')) {
            const std::string_view line(one);
            ++_count;
            _points_count += _ends.begins_point(line) ? 1 : 0;
            is_end = _ends.take(line);
        }
        if (_batch.size() < (is_end ? batch_bytes : batch_bytes_max)) {
            return {};
        }
        _ends = {};
        return flush();
    }

    // The error is that nothing more can be sent.
    base::expected<void> flush() {
        if (_batch.empty()) {
            return {};
        }
        auto reply = ask(_connection, {.method = "POST", .path = _path, .body = std::exchange(_batch, {})});
        if (!reply) {
            return std::unexpected(reply.error());
        }
        if (!reply->is_ok() && !note_bad_lines(reply->body)) {
            return std::unexpected(error_of(_connection, *reply));
        }
        _done_count = _count;
        _sent_points_count = _points_count;
        return {};
    }

    size_t written_count() const { return _sent_points_count - std::min(_sent_points_count, _rejected_count); }
    size_t rejected_count() const { return _rejected_count; }

private:
    // False when that is not what the reply is about.
    bool note_bad_lines(const std::string& json) {
        simdjson::dom::parser parser;
        simdjson::dom::element body;
        simdjson::dom::array lines;
        uint64_t rejected = 0;
        if (parser.parse(json).get(body) != simdjson::SUCCESS || body["rejected"].get(rejected) != simdjson::SUCCESS ||
            body["lines"].get(lines) != simdjson::SUCCESS) {
            return false;
        }
        _rejected_count += rejected;
        for (const auto one : lines) {
            uint64_t number = 0;
            std::string_view reason;
            if (one["line"].get(number) == simdjson::SUCCESS && one["reason"].get(reason) == simdjson::SUCCESS &&
                _shown_count++ < bad_lines_shown_max) {
                fmt::print(stderr, "downtick: line {}: {}\n", _done_count + number, reason);
            }
        }
        return true;
    }

    const connection_options& _connection;
    const std::string _path;
    std::string _batch;
    point_ends _ends;
    size_t _count = 0; // of all lines
    size_t _points_count = 0;
    size_t _sent_points_count = 0;
    size_t _done_count = 0; // of those that were sent
    size_t _rejected_count = 0;
    size_t _shown_count = 0;
};

const char* plural(size_t count) {
    return count == 1 ? "" : "s";
}

} // namespace

int write(const arguments& args) {
    connection_options connection;
    std::string precision = "ns";
    option_line line("write [LINE...] [OPTIONS]",
                     "send points in line protocol; without a LINE they are read from standard input\n"
                     "Example: downtick write 'cpu,host=a usage_user=5'");
    connection.add_to(line.options());
    line.options().add_options()("precision", po::value(&precision)->default_value(precision)->value_name("UNIT"),
                                 "of the times: ns, us, ms, s, m or h");
    if (const auto done = line.parse(args)) {
        return *done;
    }
    line_sender lines(connection, precision);
    auto sent = base::expected<void>();
    for (size_t i = 0; sent && i < line.words().size(); ++i) {
        sent = lines.add(line.words()[i]);
    }
    for (std::string text; sent && line.words().empty() && std::getline(std::cin, text);) {
        sent = lines.add(text);
    }
    sent = sent ? lines.flush() : sent;
    fmt::print("{} line{} written\n", lines.written_count(), plural(lines.written_count()));
    if (lines.rejected_count() > 0) {
        fmt::print(stderr, "downtick: {} line{} not taken\n", lines.rejected_count(), plural(lines.rejected_count()));
    }
    return !sent ? complain(sent.error()) : lines.rejected_count() > 0 ? 1 : 0;
}

} // namespace cli

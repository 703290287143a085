// downtick write: lines of line protocol, from the command line or from a pipe.

#include <iostream>

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>

#include "cli/connection.hh"
#include "cli/option_line.hh"
#include "http/core/percent.hh"

namespace cli {
namespace {

namespace po = boost::program_options;

// Of one request; a pipe may have more.
constexpr size_t batch_bytes = 1 << 20;

base::expected<void> send_lines(const connection_options& connection, const std::string& precision, std::string lines) {
    auto reply = ask_for_good(
        connection, {.method = "POST", .path = "/write?precision=" + http::percent_encode(precision), .body = std::move(lines)});
    return reply ? base::expected<void>() : std::unexpected(reply.error());
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
    std::string batch;
    size_t count = 0;
    const auto flush = [&] {
        return batch.empty() ? base::expected<void>() : send_lines(connection, precision, std::exchange(batch, {}));
    };
    const auto add = [&](const std::string& text) {
        batch += text + '\n';
        ++count;
        return batch.size() >= batch_bytes ? flush() : base::expected<void>();
    };
    auto sent = base::expected<void>();
    for (size_t i = 0; sent && i < line.words().size(); ++i) {
        sent = add(line.words()[i]);
    }
    for (std::string text; sent && line.words().empty() && std::getline(std::cin, text);) {
        sent = add(text);
    }
    sent = sent ? flush() : sent;
    if (!sent) {
        return complain(sent.error());
    }
    fmt::print("{} line{} written\n", count, count == 1 ? "" : "s");
    return 0;
}

} // namespace cli

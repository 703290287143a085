#include "cli/option_line.hh"

#include <sstream>

#include <boost/program_options.hpp>
#include <fmt/format.h>

namespace cli {

namespace po = boost::program_options;

option_line::option_line(std::string usage, std::string summary) : _usage(std::move(usage)), _summary(std::move(summary)) {
    _options.add_options()("help,h", "this text");
}

std::optional<int> option_line::parse(const arguments& args) {
    po::options_description all;
    all.add(_options).add_options()("word", po::value(&_words));
    try {
        const auto words = po::positional_options_description().add("word", -1);
        // No guessing: -n is n, and -15m behind --start is a value.
        const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
        po::store(po::command_line_parser(args).options(all).positional(words).style(style).run(), _values);
        po::notify(_values);
    } catch (const po::error& e) {
        return refuse(e.what());
    }
    if (_values.contains("help")) {
        std::ostringstream text;
        text << _options;
        fmt::print("downtick {}: {}\n\n{}", _usage, _summary, text.str());
        return 0;
    }
    return std::nullopt;
}

int option_line::refuse(std::string_view why) const {
    fmt::print(stderr, "downtick: {}; see `downtick {} --help`\n", why, _usage.substr(0, _usage.find(' ')));
    return 2;
}

} // namespace cli

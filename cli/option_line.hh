// The command line of one subcommand: its options, what stands without a name, and --help.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include "cli/commands.hh"

namespace cli {

class option_line {
public:
    // "tail FROM [OPTIONS]" and what it does.
    option_line(std::string usage, std::string summary);

    boost::program_options::options_description& options() { return _options; }
    // An exit status when there is nothing left to do: help was asked for, or the line is wrong.
    std::optional<int> parse(const arguments&);

    bool has(const std::string& option) const { return _values.contains(option); }
    // What stands on the line without a name.
    const std::vector<std::string>& words() const { return _words; }
    // For words that are missing or too many: says so, exit status 2.
    int refuse(std::string_view why) const;

private:
    std::string _usage;
    std::string _summary;
    boost::program_options::options_description _options{"Options"};
    boost::program_options::variables_map _values;
    std::vector<std::string> _words;
};

} // namespace cli

// downtick: one program, a subcommand each for the server and for what talks to it.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.hh"
#include "server/serve.hh"

namespace {

void print_usage(std::FILE* out) {
    fmt::print(out, "downtick COMMAND [OPTIONS]: time-series and log storage\n\n");
    fmt::print(out, "  {:<12}{}\n", "serve", "run the server");
    for (const auto& command : cli::commands()) {
        fmt::print(out, "  {:<12}{}\n", command.name, command.summary);
    }
    fmt::print(out, "\n`downtick COMMAND --help` tells more. New here? Start with `downtick serve`.\n");
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> args(argv + std::min(argc, 2), argv + argc);
    std::string name = argc > 1 ? argv[1] : "help";
    if (name == "help" && !args.empty()) { // help COMMAND is COMMAND --help
        name = args.front();
        args = {"--help"};
    }
    if (name == "serve") {
        return server::serve(args);
    }
    const bool asks_version = name == "--version" || name == "-V";
    for (const auto& command : cli::commands()) {
        if (command.name == (asks_version ? "version" : name)) {
            return cli::run_command(command, args);
        }
    }
    const bool asked = name == "help" || name == "--help" || name == "-h";
    if (!asked) {
        fmt::print(stderr, "downtick: no command '{}'\n\n", name);
    }
    print_usage(asked ? stdout : stderr);
    return asked ? 0 : 2;
}

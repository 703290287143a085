// The subcommands that talk to a running server. Each gets the arguments after its own name and returns an exit status.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

using arguments = std::vector<std::string>;

struct command {
    std::string_view name;
    std::string_view summary; // for `downtick help`
    int (*run)(const arguments&);
};

std::span<const command> commands();
// Runs one and returns its exit status; 1, and a sentence, when what it printed could not all be written.
int run_command(const command&, const arguments&);

// Each in a file of its own.
int tail(const arguments&);
int range(const arguments&);
int write(const arguments&);
int families(const arguments&);
int sources(const arguments&);
int table_command(const arguments&);
int retention_command(const arguments&);
int scrub_command(const arguments&);
int snapshot_command(const arguments&);
int blob_command(const arguments&);
int bench_command(const arguments&);
int completion(const arguments&);

} // namespace cli

// Samples of logs to grow: those of a folder, or made ones where there is none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bench {

struct log_sample {
    std::string name; // of the program that writes so
    std::string text;
};

// The *.log of a folder, by name.
std::vector<log_sample> read_log_samples(const std::filesystem::path& folder);

// A web server, an application, a login daemon and a store: templates filled by a seeded generator.
std::vector<log_sample> make_log_samples();

} // namespace bench

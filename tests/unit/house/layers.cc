#include "tests/unit/house/layers.hh"

#include <optional>
#include <set>
#include <sstream>

namespace house {
namespace {

// Arrows point from a larger number to a smaller one.
const std::map<std::string, int> ranks{{"base", 0},    {"shard", 1},  {"http", 2},  {"tables", 3},
                                       {"blobs", 3},   {"ingest", 4}, {"query", 4}, {"compaction", 4},
                                       {"service", 4}, {"cli", 4},    {"server", 5}};
// One arrow goes sideways on purpose: the filter language serves the Table service too.
const std::set<std::pair<std::string, std::string>> sideways{{"service", "query/core"}};

std::string folder_of(const std::string& path) {
    return path.substr(0, path.find('/'));
}

bool is_pure(const std::string& path) {
    return path.starts_with("base/") || path.find("/core/") != std::string::npos;
}

// What others may include of the two stores, besides their pure code.
const std::set<std::string> doors{"tables/engine.hh", "blobs/log_store.hh", "blobs/blob_listing.hh", "blobs/source_scan.hh"};

bool is_public(const std::string& include) {
    const auto folder = folder_of(include);
    return (folder != "tables" && folder != "blobs") || is_pure(include) || doors.contains(include);
}

std::optional<std::string> broken_rule(const std::string& path, const std::string& include) {
    const auto from = folder_of(path);
    const auto to = folder_of(include);
    if (is_pure(path) && include.starts_with("seastar/")) {
        return "pure code knows nothing of Seastar";
    }
    if (!ranks.contains(from) || !ranks.contains(to)) {
        return std::nullopt;
    }
    if (is_pure(path) && !is_pure(include)) {
        return "pure code includes only pure code";
    }
    if (from == to) {
        return std::nullopt;
    }
    const bool is_sideways = sideways.contains({from, to + "/core"}) && is_pure(include);
    if (ranks.at(from) <= ranks.at(to) && !is_sideways) {
        return "the arrow points up or sideways";
    }
    if (!is_public(include)) {
        return "from outside, only the doors and core/ of that folder";
    }
    return std::nullopt;
}

// What stands between the quotes or brackets of each #include line.
std::vector<std::string> includes_of(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "#") {
            words >> word;
            word = "#" + word;
        }
        const auto open = line.find_first_of("\"<");
        const auto close = line.find_first_of("\">", open + 1);
        if (word == "#include" && close != std::string::npos) {
            found.push_back(line.substr(open + 1, close - open - 1));
        }
    }
    return found;
}

} // namespace

std::vector<std::string> layer_violations(const tree& files) {
    std::vector<std::string> found;
    for (const auto& [path, text] : files) {
        for (const auto& include : includes_of(text)) {
            if (auto rule = broken_rule(path, include)) {
                found.push_back(path + " includes " + include + ": " + *rule);
            }
        }
    }
    return found;
}

} // namespace house

#include "cli/inspect.hh"

#include <fstream>
#include <sstream>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "base/ticks.hh"
#include "shard/core/identity_record.hh"

namespace cli {
namespace {

namespace po = boost::program_options;

int inspect_one(const std::string& path, bool prints_rows) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    if (!in) {
        fmt::print(stderr, "downtick: {}: cannot be read\n", path);
        return 1;
    }
    const inspected_file file{path, content.str(), prints_rows};
    if (file.content.find_first_not_of('\0') == std::string::npos) {
        fmt::print("{}: made ahead, nothing in it yet\n", path);
        return 0;
    }
    for (auto* look : {inspect_identity, inspect_edits, inspect_segments, inspect_blobs, inspect_log}) {
        if (const auto v = look(file); v != verdict::other_kind) {
            fmt::print("{}: {}\n", path, v == verdict::sound ? "every checksum passes" : "DAMAGED, see above");
            return v == verdict::sound ? 0 : 1;
        }
    }
    fmt::print(stderr, "downtick: {}: no file of a data directory, or its header is damaged\n", path);
    return 1;
}

} // namespace

verdict inspect_identity(const inspected_file& file) {
    if (!file.content.starts_with("downtick") || file.content.size() > 4096) {
        return verdict::other_kind;
    }
    const auto who = shard::decode_identity(file.content);
    if (!who) {
        fmt::print("{}: {}\n", file.path, base::to_string(who.error()));
        return verdict::damaged;
    }
    fmt::print("identity: format {}, store {:016x}, created {}\n", who->version, who->store, base::to_text(who->created));
    return verdict::sound;
}

int inspect(const arguments& args) {
    po::options_description table("Options");
    std::vector<std::string> files;
    table.add_options()("help", "this text")("rows", "also print the keys of every row in a log or segment");
    po::options_description all;
    all.add(table).add_options()("file", po::value(&files));
    po::variables_map values;
    try {
        po::store(po::command_line_parser(args).options(all).positional(po::positional_options_description().add("file", -1)).run(), values);
        po::notify(values);
    } catch (const po::error& e) {
        fmt::print(stderr, "downtick: inspect: {}\n", e.what());
        return 2;
    }
    if (values.contains("help") || files.empty()) {
        std::ostringstream text;
        text << table;
        fmt::print("downtick inspect FILE...: what is in a log, segment, catalog, manifest or identity file of a data directory, and is it sound?\n"
                   "Exit status 0: every checksum passes; 1: not.\n\n{}",
                   text.str());
        return values.contains("help") ? 0 : 2;
    }
    int status = 0;
    for (const auto& path : files) {
        status = std::max(status, inspect_one(path, values.contains("rows")));
    }
    return status;
}

} // namespace cli

#include "cli/inspect.hh"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/ticks.hh"
#include "cli/option_line.hh"
#include "shard/core/identity_record.hh"
#include "shard/core/scrub_record.hh"

namespace cli {
namespace {

namespace fs = std::filesystem;

// Of logs and edit logs, whose room is made before there is anything to write.
bool is_made_ahead(const inspected_file& file) {
    const auto path = fs::absolute(file.path);
    const auto folder = path.parent_path().filename();
    const auto name = path.filename().string();
    return (folder == "log" && name.ends_with(".log")) || folder == "manifest" || name.starts_with("catalog.");
}

bool is_blank(std::string_view content) {
    return content.find_first_not_of('\0') == content.npos;
}

verdict inspect_lock(const inspected_file& file) {
    if (fs::path(file.path).filename() != "LOCK") {
        return verdict::other_kind;
    }
    fmt::print("lock: held by the server that uses this directory, if there is one\n");
    return verdict::sound;
}

verdict inspect_scrub(const inspected_file& file) {
    if (fs::path(file.path).filename() != "scrub") {
        return verdict::other_kind;
    }
    const auto record = shard::decode_scrub_record(file.content);
    if (!record) {
        fmt::print("{}: {}\n", file.path, record.error().detail);
        return verdict::damaged;
    }
    fmt::print("last scrub: {} to {}, {} files, {} bytes, {} damaged ranges\n", base::to_text(record->begun),
               base::to_text(record->ended), record->files_count, record->bytes, record->damaged_count);
    for (const auto& sentence : record->damage) {
        fmt::print("  {}\n", sentence);
    }
    return verdict::sound;
}

verdict inspect_blank(const inspected_file& file) {
    if (!is_blank(file.content)) {
        return verdict::other_kind;
    }
    if (is_made_ahead(file)) {
        fmt::print("made ahead, nothing in it yet\n");
        return verdict::sound;
    }
    fmt::print("{}, and only logs are made ahead\n", file.content.empty() ? "it is empty" : "there is nothing but zeros in it");
    return verdict::damaged;
}

int inspect_file(const std::string& path, bool prints_rows) {
    std::ifstream in(path, std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(in), {});
    if (!in.is_open() || in.bad()) {
        fmt::print(stderr, "downtick: {}: cannot be read\n", path);
        return 1;
    }
    const inspected_file file{path, std::move(content), prints_rows};
    constexpr std::array looks{inspect_lock,  inspect_blank,    inspect_scrub, inspect_identity,
                               inspect_edits, inspect_segments, inspect_blobs, inspect_log};
    for (auto* look : looks) {
        if (const auto v = look(file); v != verdict::other_kind) {
            fmt::print("{}: {}\n", path, v == verdict::sound ? "every checksum passes" : "DAMAGED, see above");
            return v == verdict::sound ? 0 : 1;
        }
    }
    fmt::print(stderr, "downtick: {}: no file of a data directory, or its header is damaged\n", path);
    return 1;
}

// Of a directory, every file below it.
int inspect_path(const std::string& path, bool prints_rows) {
    std::error_code problem;
    if (!fs::is_directory(path, problem)) {
        return inspect_file(path, prints_rows);
    }
    std::vector<std::string> files;
    for (fs::recursive_directory_iterator at(path, problem), end; !problem && at != end; at.increment(problem)) {
        if (at->is_regular_file()) {
            files.push_back(at->path().string());
        }
    }
    if (problem || files.empty()) {
        fmt::print(stderr, "downtick: {}: {}\n", path, problem ? problem.message() : "no file in it");
        return 1;
    }
    std::ranges::sort(files);
    int status = 0;
    for (const auto& file : files) {
        status = std::max(status, inspect_file(file, prints_rows));
    }
    return status;
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
    option_line line("inspect FILE|DIR... [OPTIONS]", "what is in the files of a data directory, and are they sound?\n"
                                                      "Exit status 0: every checksum passes; 1: not.");
    line.options().add_options()("rows", "also print the keys of every row in a log or segment");
    if (const auto done = line.parse(args)) {
        return *done;
    }
    if (line.words().empty()) {
        return line.refuse("inspect: name a FILE or a DIR");
    }
    int status = 0;
    for (const auto& path : line.words()) {
        status = std::max(status, inspect_path(path, line.has("rows")));
    }
    return status;
}

} // namespace cli

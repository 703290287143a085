// `downtick inspect FILE...`: says what a file of a data directory is, prints what is in it and verifies every checksum, with the
// same readers the server uses. Works on a stopped or running server's files; changes nothing.
#pragma once

#include <string>
#include <string_view>

#include "cli/commands.hh"

namespace cli {

int inspect(const arguments&);

// Each prints its findings to stdout and says whether all of it is sound; nothing when the file is of another kind.
enum class verdict { other_kind, sound, damaged };
struct inspected_file {
    std::string path;
    std::string content;
    bool prints_rows = false;
};
verdict inspect_log(const inspected_file&);
verdict inspect_edits(const inspected_file&);
verdict inspect_identity(const inspected_file&);
verdict inspect_segments(const inspected_file&);
verdict inspect_blobs(const inspected_file&);

} // namespace cli

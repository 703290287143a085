// Names of files and folders as shard::disk takes them: relative, '/' between the parts, "" for the data directory itself.
// They are made by this program, never by a client, so a bad one is a programming error and not an outcome.
#pragma once

#include <string>
#include <string_view>

namespace shard {

// Throws std::invalid_argument when the path is absolute, empty, holds a NUL or an empty, "." or ".." part.
void check_file_path(std::string_view path);
// The same, but "" is allowed.
void check_folder_path(std::string_view path);

// The folder a file or folder lies in: "a/b" for "a/b/c", "" for "c". It is what must be synced after the name changed.
std::string folder_of(std::string_view path);

} // namespace shard

#include "shard/core/disk_path.hh"

#include <stdexcept>

namespace shard {
namespace {

[[noreturn]] void refuse(std::string_view path, std::string_view why) {
    throw std::invalid_argument("bad path '" + std::string(path) + "': " + std::string(why));
}

} // namespace

void check_file_path(std::string_view path) {
    if (path.empty()) {
        refuse(path, "empty");
    }
    if (path.contains('\0')) {
        refuse(path, "holds a NUL");
    }
    // A leading, doubled or trailing '/' shows as an empty part.
    for (size_t begin = 0; begin <= path.size();) {
        const auto end = std::min(path.find('/', begin), path.size());
        const auto part = path.substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..") {
            refuse(path, "absolute, or with an empty, '.' or '..' part");
        }
        begin = end + 1;
    }
}

void check_folder_path(std::string_view path) {
    if (!path.empty()) {
        check_file_path(path);
    }
}

std::string folder_of(std::string_view path) {
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

} // namespace shard

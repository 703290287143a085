#include "shard/core/directory_lock.hh"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shard {
namespace {

using base::errc;
using base::fail;

// mkdir -p
bool make_directories(const std::string& path) {
    for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        if (::mkdir(path.substr(0, slash).c_str(), 0755) != 0 && errno != EEXIST) {
            return false;
        }
        if (slash == std::string::npos) {
            return true;
        }
    }
}

std::string holder_of(int fd) {
    char text[32] = {};
    return ::pread(fd, text, sizeof text - 1, 0) > 0 ? text : "unknown";
}

} // namespace

base::expected<directory_lock> directory_lock::acquire(const std::string& directory) {
    auto cannot_use = [&directory] {
        return fail(errc::io_error, fmt::format("the data directory {} cannot be used: {}; choose another with --data", directory,
                                                std::strerror(errno)));
    };
    if (!make_directories(directory)) {
        return cannot_use();
    }
    directory_lock lock(::open((directory + "/LOCK").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (lock._fd < 0) {
        return cannot_use();
    }
    if (::flock(lock._fd, LOCK_EX | LOCK_NB) != 0) {
        return fail(errc::busy,
                    fmt::format("the data directory {} is in use by the server with process id {}; stop it, or choose "
                                "another directory with --data",
                                directory, holder_of(lock._fd)));
    }
    const auto pid = std::to_string(::getpid());
    if (::ftruncate(lock._fd, 0) != 0 || ::pwrite(lock._fd, pid.data(), pid.size(), 0) < 0) {
        // Only the next one's message is poorer for it; a full disk must not keep us from starting.
    }
    return lock;
}

directory_lock::directory_lock(directory_lock&& other) noexcept : _fd(std::exchange(other._fd, -1)) {}

directory_lock::~directory_lock() {
    if (_fd >= 0) {
        ::close(_fd);
    }
}

} // namespace shard

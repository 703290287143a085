// One server at a time on a data directory. Plain POSIX, for use before the reactor starts.
#pragma once

#include <string>

#include "base/error.hh"

namespace shard {

// Held from acquire() to destruction; the system gives it up when the process dies, however it dies.
class directory_lock {
public:
    // Makes the directory when it is missing. Errors are sentences for the operator: not writable, in use (and by which process).
    static base::expected<directory_lock> acquire(const std::string& directory);

    directory_lock(directory_lock&&) noexcept;
    directory_lock& operator=(directory_lock&&) = delete;
    ~directory_lock();

private:
    explicit directory_lock(int fd) : _fd(fd) {}

    int _fd;
};

} // namespace shard

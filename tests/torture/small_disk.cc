#include "tests/torture/small_disk.hh"

#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

namespace torture {
namespace {

constexpr off_t ballast_step_bytes = 1 << 20;
constexpr off_t smallest_step_bytes = 4096;

std::string ballast_of(const std::string& folder) {
    return folder + "/ballast";
}

// Data is kept with direct I/O only, which tmpfs has from Linux 6.6 on.
bool takes_direct_io(const std::string& folder) {
    const int fd = ::open(ballast_of(folder).c_str(), O_CREAT | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::close(fd);
    }
    return fd >= 0;
}

} // namespace

std::unique_ptr<small_disk> small_disk::mount(const std::string& folder, unsigned mib, verdict& v) {
    std::filesystem::create_directories(folder);
    const auto size = fmt::format("size={}m", mib);
    const bool is_apart = ::unshare(CLONE_NEWNS) == 0;
    // Fails where the root is no mount point, as in the toolchain root; that one is apart already.
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (!is_apart || ::mount("downtick-torture", folder.c_str(), "tmpfs", 0, size.c_str()) != 0) {
        v.skipped("a full disk: mounting a small one is not permitted here");
        return nullptr;
    }
    if (!takes_direct_io(folder)) {
        ::umount2(folder.c_str(), MNT_DETACH);
        v.skipped("a full disk: tmpfs has no direct I/O on this kernel");
        return nullptr;
    }
    return std::unique_ptr<small_disk>(new small_disk(folder));
}

small_disk::~small_disk() {
    ::umount2(_path.c_str(), MNT_DETACH);
}

void small_disk::fill() {
    const int fd = ::open(ballast_of(_path).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    off_t end = ::lseek(fd, 0, SEEK_END);
    for (off_t step = ballast_step_bytes; step >= smallest_step_bytes;) {
        if (::posix_fallocate(fd, end, step) == 0) {
            end += step;
        } else {
            step /= 2;
        }
    }
    ::close(fd);
}

void small_disk::make_room() {
    ::unlink(ballast_of(_path).c_str());
}

uint64_t small_disk::free_bytes() const {
    return std::filesystem::space(_path).available;
}

} // namespace torture

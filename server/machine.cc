#include "server/machine.hh"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/un.h>
#include <unistd.h>

namespace server {
namespace {

uint64_t read_number(const std::string& path, uint64_t otherwise) {
    std::ifstream in(path);
    uint64_t value = 0;
    return in >> value ? value : otherwise;
}

// The smallest memory.max on the way from our control group to the top (version 2), or the version 1 limit.
uint64_t control_group_memory() {
    uint64_t least = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", UINT64_MAX);
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("0::")) {
            continue;
        }
        for (std::string group = line.substr(3); !group.empty(); group.erase(group.rfind('/'))) {
            least = std::min(least, read_number("/sys/fs/cgroup" + group + "/memory.max", UINT64_MAX));
            if (group.rfind('/') == std::string::npos) {
                break;
            }
        }
    }
    return least;
}

// Where memory was added to a running machine, its nodes may not count it, and they are what the framework allocates from.
uint64_t node_memory() {
    uint64_t sum_kib = 0;
    for (unsigned node = 0;; ++node) {
        std::ifstream in(fmt::format("/sys/devices/system/node/node{}/meminfo", node));
        if (!in) {
            return sum_kib == 0 ? UINT64_MAX : sum_kib * 1024;
        }
        for (std::string word; in >> word;) {
            if (uint64_t kib = 0; word == "MemTotal:" && in >> kib) {
                sum_kib += kib;
            }
        }
    }
}

unsigned usable_cores() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

} // namespace

machine_facts read_machine_facts() {
    struct ::sysinfo info{};
    ::sysinfo(&info);
    const uint64_t physical = static_cast<uint64_t>(info.totalram) * info.mem_unit;
    return {.cores = usable_cores(),
            .memory_bytes = std::min({physical, node_memory(), control_group_memory()}),
            .aio_slots_max = read_number("/proc/sys/fs/aio-max-nr", 65536),
            .aio_slots_used = read_number("/proc/sys/fs/aio-nr", 0)};
}

std::string read_host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

void raise_file_limit() {
    struct ::rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void notify_supervisor(const char* state) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    struct ::sockaddr_un address{};
    if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) {
        return;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path, std::strlen(path));
    if (address.sun_path[0] == '@') {
        address.sun_path[0] = '\0'; // an abstract socket
    }
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }
    const auto length = static_cast<socklen_t>(offsetof(struct ::sockaddr_un, sun_path) + std::strlen(path));
    // Nobody to tell if this fails: the supervisor is not there.
    [[maybe_unused]] auto sent =
        ::sendto(fd, state, std::strlen(state), MSG_NOSIGNAL, reinterpret_cast<const ::sockaddr*>(&address), length);
    ::close(fd);
}

} // namespace server

#include "tests/torture/memory_group.hh"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace torture {
namespace {

bool put(const std::filesystem::path& file, uint64_t value) {
    std::ofstream out(file);
    out << value << std::flush;
    return out.good();
}

bool limit_in(const std::filesystem::path& parent, const char* limit, pid_t pid, uint64_t bytes) {
    std::error_code failure;
    const auto group = parent / ("downtick-torture-" + std::to_string(::getpid()));
    if (!std::filesystem::exists(group, failure) && !std::filesystem::create_directory(group, failure)) {
        return false;
    }
    return std::filesystem::exists(group / limit, failure) && put(group / limit, bytes) &&
           put(group / "cgroup.procs", static_cast<uint64_t>(pid));
}

} // namespace

void limit_memory(pid_t pid, uint64_t bytes, verdict& v) {
    const std::filesystem::path root = "/sys/fs/cgroup";
    if (limit_in(root / "memory", "memory.limit_in_bytes", pid, bytes) || limit_in(root, "memory.max", pid, bytes)) {
        v.count_fault("memory limited by a control group");
        return;
    }
    v.skipped("a memory-limited control group: not permitted here; resident memory is watched all the same");
}

void remove_memory_group() {
    std::error_code ignored;
    for (const auto* root : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {
        std::filesystem::remove(std::filesystem::path(root) / ("downtick-torture-" + std::to_string(::getpid())), ignored);
    }
}

} // namespace torture

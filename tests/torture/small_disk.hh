// A file system of a few hundred megabytes that can be filled to the last byte and emptied again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/torture/verdict.hh"

namespace torture {

class small_disk {
public:
    // Mounts it; only this process and its children see it. Nothing, said aloud, where mounting is not permitted.
    static std::unique_ptr<small_disk> mount(const std::string& folder, unsigned mib, verdict&);
    ~small_disk();
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;

    const std::string& path() const { return _path; }
    void fill();
    void make_room();
    uint64_t free_bytes() const;

private:
    explicit small_disk(std::string path) : _path(std::move(path)) {}

    const std::string _path;
};

} // namespace torture

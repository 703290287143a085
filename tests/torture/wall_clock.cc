#include "tests/torture/wall_clock.hh"

#include <ctime>
#include <mutex>
#include <stdexcept>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace torture {

wall_clock::wall_clock(const std::string& file, std::string library) : _file(file), _library(std::move(library)) {
    const int fd = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 || ::ftruncate(fd, sizeof(int64_t)) != 0) {
        throw std::runtime_error("cannot make " + file);
    }
    void* const mapped = ::mmap(nullptr, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (mapped == MAP_FAILED) {
        throw std::runtime_error("cannot map " + file);
    }
    _seconds = static_cast<std::atomic<int64_t>*>(mapped);
}

wall_clock::~wall_clock() {
    ::munmap(_seconds, sizeof(int64_t));
}

std::vector<std::string> wall_clock::environment() const {
    return {"LD_PRELOAD=" + _library, "DOWNTICK_CLOCK_OFFSET=" + _file};
}

void wall_clock::set(std::chrono::seconds offset) {
    const std::unique_lock lock(_turn);
    ++_steps_count;
    _seconds->store(offset.count());
    ++_steps_count;
}

std::chrono::seconds wall_clock::offset() const {
    return std::chrono::seconds(_seconds->load());
}

std::string wall_clock::http_date() const {
    const auto now = std::time(nullptr) + offset().count();
    ::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[64];
    return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

} // namespace torture

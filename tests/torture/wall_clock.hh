// The wall clock as the server under test sees it: the machine's, moved by an offset that can be changed while it runs. The
// offset lies in a file that both map; in the server, shifted_clock.cc is put before the C library and adds it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <shared_mutex>
#include <string>
#include <vector>

namespace torture {

class wall_clock {
public:
    // The file is made; the server gets environment() and `library` in LD_PRELOAD.
    wall_clock(const std::string& file, std::string library);
    ~wall_clock();
    wall_clock(const wall_clock&) = delete;
    wall_clock& operator=(const wall_clock&) = delete;

    std::vector<std::string> environment() const;
    void set(std::chrono::seconds offset);
    std::chrono::seconds offset() const;
    // Grows with each step: who signs a time looks at it before and after.
    uint64_t steps_count() const { return _steps_count; }
    // What needs the true time holds this shared; set() waits for it.
    std::shared_mutex& turn() { return _turn; }

    // "Mon, 16 Nov 2026 00:59:49 GMT", by this clock.
    std::string http_date() const;

private:
    const std::string _file;
    const std::string _library;
    std::atomic<int64_t>* _seconds = nullptr; // mapped
    std::atomic<uint64_t> _steps_count = 0;
    std::shared_mutex _turn;
};

} // namespace torture

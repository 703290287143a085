// What a run has found: promises that were broken, and what could not be tried on this machine. For any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace torture {

class verdict {
public:
    // `promise` is one of P1 to P8. Printed at once; a run goes on, since what follows may tell more.
    void violated(const std::string& promise, const std::string& what);
    // From here on the first violations are printed again.
    void begin_round();
    // Said aloud, once for each text: a fault that was left out is not a fault that was survived.
    void skipped(const std::string& what);
    void count_fault(const std::string& kind);

    size_t violations_count() const;
    std::map<std::string, uint64_t> faults() const;

private:
    mutable std::mutex _mutex;
    size_t _violations_count = 0;
    size_t _printed_count = 0; // in this round
    std::map<std::string, uint64_t> _faults;
    std::map<std::string, uint64_t> _skipped;
};

} // namespace torture

// What is known about one stream of numbered entries (points of a series, records of a source), each sent once: which were
// sent at all, and which must be found because they were acknowledged. What was sent and neither acknowledged nor refused may be
// there or not. An entry's content follows from its number, so that a wrong one is recognised. For any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tests/torture/verdict.hh"

namespace torture {

class stream_oracle {
public:
    stream_oracle(std::string name, verdict& v) : _name(std::move(name)), _verdict(v) {}

    const std::string& name() const { return _name; }
    // The numbers of the next `count` entries begin here; they may be found from now on.
    uint64_t begin_sending(uint64_t count);
    void acknowledged(uint64_t first, uint64_t count);
    uint64_t sent_count() const;
    uint64_t owed_count() const;

    // What must be found of [first, end) by a read that begins now.
    std::vector<bool> owed(uint64_t first, uint64_t end) const;
    // `found` came from a complete read of [first, end) that began when `owed` was asked.
    void check(uint64_t first, uint64_t end, const std::vector<bool>& owed, std::span<const uint64_t> found,
               const std::string& where);

private:
    void forget(uint64_t n);

    const std::string _name;
    verdict& _verdict;
    mutable std::mutex _mutex;
    uint64_t _owed_count = 0;
    std::vector<bool> _owed; // of all that were sent
};

} // namespace torture

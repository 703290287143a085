// Bugs that are put in on purpose, to see that the tests find them (`./dev torture --selftest`). They exist only in the build
// made for that; in every other one the question is answered at compile time, and nothing is left of it.
#pragma once

#include <cstdint>

namespace base {

enum class bug : uint8_t {
    none,
    acknowledge_before_flush,    // a reply leaves while its record is still in memory
    missing_directory_sync,      // a new log file is used before its name is durable
    checksum_of_a_part,          // the end of a log record may be anything
    retried_flush,               // a failed flush of the log is tried again as if nothing had happened
    silent_end_of_replay,        // a hole in the log is taken for its end
    split_transaction,           // the operations of a transaction are committed one by one
    condition_before_suspension, // between the ETag check and the write, others write
    retention_by_wall_clock,     // a clock that jumped is believed
    another_reader_for_repair,   // a damaged copy is repaired with bytes that nobody has checked
    accept_without_room,         // a write that the log has no room for is acknowledged
    trusted_length,              // a message is as long as it says
    signature_by_prefix,         // the beginning of a signature is enough
};

#ifdef DOWNTICK_PLANTED_BUGS
constexpr bool has_planted_bugs = true;
// The one whose name is in the variable DOWNTICK_BUG.
bool planted(bug);
#else
constexpr bool has_planted_bugs = false;
constexpr bool planted(bug) {
    return false;
}
#endif

} // namespace base

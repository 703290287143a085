// Reads one log (the files of one shard and one epoch) and says what every hole in it means. Without IO: next() names the bytes
// it wants, feed() takes them, so that replay, `inspect` and the fuzzer share it.
//
// The sequences of a log have no gaps, so a gap between two records that were found is exactly what was lost between them. A
// group of records is written only after all before it is on stable storage, and says so in each of its records (`durable`), as
// the header of a file does (`first`). Hence
//
//   - sequences that are missing and that some later record or file header says were durable: *damage*. It is reported and the
//     reading goes on behind it;
//   - sequences that are missing and that nothing says were durable: the tail that no flush covered. It was acknowledged to
//     nobody; the log ends in front of the hole, and what was written behind it is ignored, so that the order is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.hh"
#include "shard/core/wal_record.hh"
#include "shard/core/wal_scanner.hh"

namespace shard {

// One file as it was found on the disk.
struct wal_source {
    wal_file_id id; // inferred where the header is lost
    uint64_t size_bytes = 0;
    std::optional<wal_file_header> header; // nothing: neither copy passed
};

struct wal_place {
    size_t file = 0; // index of the source
    uint64_t position = 0;

    bool operator==(const wal_place&) const = default;
};

struct wal_record {
    wal_place place;
    base::sequence first;
    uint32_t sequences_count = 0;
    record_kind kind{};
    std::string_view payload; // until the next call of next() or feed()
};

// Sequences [first, last] were durable and are not there any more. Their bytes were between the two places.
struct wal_damage {
    wal_place begin, end;
    base::sequence first, last;

    bool operator==(const wal_damage&) const = default;
};

struct wal_end {
    enum class reason {
        closed, // an orderly stop
        open,   // no more records
        torn,   // a hole in the tail that no flush covered; what is behind it is ignored
    };
    reason why{};
    wal_place place;     // behind the last record
    base::sequence next; // the sequence after the last one that was ever durable or found; 0: none was

    bool operator==(const wal_end&) const = default;
};

struct wal_bytes_wanted {
    wal_place from;
    size_t bytes = 0;
};

using wal_step = std::variant<wal_bytes_wanted, wal_record, wal_damage, wal_end>;

class wal_reader {
public:
    // The files in the order of their numbers; at least one.
    explicit wal_reader(std::vector<wal_source>);

    // After wal_bytes_wanted, feed() comes first; after wal_end, wal_end comes again.
    wal_step next();
    // The bytes that were wanted; fewer only where the file ends before them.
    void feed(std::string_view);

private:
    struct cursor {
        size_t file;
        wal_scanner scanner;
    };

    cursor open(size_t file, uint64_t begin, wal_scanner::payloads) const;
    uint64_t end_of(size_t file) const;
    wal_bytes_wanted want(const cursor&);
    // Each returns a step that must leave next(), or nothing when there is more to do.
    std::optional<wal_step> look_for_record();
    std::optional<wal_step> look_ahead();
    std::optional<wal_step> judge();
    wal_step deliver();
    std::optional<wal_step> report_damage(base::sequence last, wal_place end);
    std::optional<wal_step> finish(wal_end::reason, wal_place);

    const std::vector<wal_source> _files;
    cursor _main;
    std::optional<cursor> _ahead;              // looks for what was durable, behind a hole
    std::optional<wal_scanner::found> _record; // found by _main and not yet judged
    std::optional<wal_end> _end;
    base::sequence _expected; // the next record's; 0: not known yet
    base::sequence _durable;  // the largest that any header seen so far speaks for
    wal_place _good_end;      // behind the last record that was delivered
    size_t _wanted_bytes = 0;
    bool _has_looked_ahead = false;
};

} // namespace shard

// What a start does with the logs it finds: lists them, reads each one, and removes them when all they hold is kept elsewhere.
// Reading changes no byte, so a crash during a replay costs nothing but the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/util/noncopyable_function.hh>

#include "base/error.hh"
#include "base/ids.hh"
#include "shard/core/wal_reader.hh"
#include "shard/core/wal_record.hh"
#include "shard/disk.hh"

namespace shard {

struct log_file_info {
    enum class state {
        used,
        unused,   // made ahead and never used: nothing in it
        headless, // neither copy of the header passes: damaged, or torn before anything in it was durable
        foreign,  // of another store
    };

    std::string name; // below wal_folder
    // Shard and number are the name's. The epoch of a headless file is that of its neighbour. 0 where that is not known, so that
    // nothing can be read, and where the file was never used.
    wal_file_id id;
    uint64_t size_bytes = 0;
    state is = state::unused;
    std::optional<wal_file_header> header; // of a used file
    bool has_bad_copy = false;             // one copy of the header is damaged, the other one serves
};

// All log files, of every shard and epoch, by epoch, shard and number. newer_format when a later version of this program wrote
// one of them; io_error.
seastar::future<base::expected<std::vector<log_file_info>>> list_logs(disk&, uint64_t store);

// Where durable records were lost, for a person.
struct log_damage {
    std::string begin_file, end_file;
    uint64_t begin = 0, end = 0; // positions in them
    base::sequence first, last;

    bool operator==(const log_damage&) const = default;
};

struct read_report {
    uint64_t records_count = 0;
    uint64_t payload_bytes = 0;
    uint64_t unreadable_bytes = 0; // the disk gave an error for them; they count as lost
    std::vector<log_damage> damages;
    wal_end::reason end{};
    base::sequence next; // what follows the last sequence that was durable or found; 0: nothing was
};

// Called with each record in order. What it is given stays valid until its future resolves.
using log_consumer = seastar::noncopyable_function<seastar::future<>(const wal_record&)>;

// Reads one log: the files of one shard and one epoch, as listed. Everything that is handed out is on stable storage. Damage is
// in the report; the only failure is the consumer's, as an exception.
seastar::future<read_report> read_log(disk&, std::vector<log_file_info>, log_consumer);

// Succeeds when it is gone already. io_error.
seastar::future<base::expected<void>> remove_log(disk&, std::string name);

} // namespace shard

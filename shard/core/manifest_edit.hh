// One change of a shard's manifest, as a value and as bytes (FORMAT.md, "Manifest").
//
//   marks = 1, epoch u64, sequence u64, timestamp ticks u64
//   files = 2, owner u8, flushed epoch u64, flushed shards u32, flushed sequence u64, removed count varint, *(name bytes),
//           added count varint, *(name bytes, facts bytes)
//   lane  = 3, shard u32, sequence u64
//   taken = 4, as files without its kind, released count varint, *(name bytes, facts bytes)
//   replayed = 5, as files without its kind, lanes count varint, *(shard u32, sequence u64)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hh"
#include "base/ids.hh"
#include "base/ticks.hh"

namespace shard {

// What a store has given out so far. Later starts go on above, whatever became of the logs.
struct high_water_marks {
    uint64_t epoch = 0;
    base::sequence sequence;
    base::tick timestamp;

    bool operator==(const high_water_marks&) const = default;

    // The higher of each.
    void raise_to(const high_water_marks&);
};

// Whose data a log holds until it is in files. On disk: do not renumber.
enum class log_owner : uint8_t { rows = 1, records = 2 };

// Up to where what one owner has in the log of this shard is in files: all sequences of its own log of this epoch, and all of
// older epochs whose partitions it had with that number of shards. Epoch 0: nothing is known to be.
struct flushed_mark {
    uint64_t epoch = 0;
    uint32_t shards_count = 0;
    base::sequence sequence;

    bool operator==(const flushed_mark&) const = default;
};

// A live file, and what its owner must know to use it.
struct manifest_file {
    std::string name;
    std::string facts;

    bool operator==(const manifest_file&) const = default;
};

// Of the records that this shard wrote to its logs, of whatever epoch, all up to here are in files. Sequences grow over all
// epochs. Written at a start, when the shard that reads those logs now is not the one whose flushed_mark says so, and, within a
// files_edit, when it puts records into files while it still reads logs.
struct lane_mark {
    uint32_t shard = 0;
    base::sequence sequence;

    bool operator==(const lane_mark&) const = default;
};

// Files come and go together, and with them what the log is still needed for. `removed` may also name what was released.
struct files_edit {
    log_owner owner = log_owner::rows; // whose files they are
    flushed_mark flushed;              // epoch 0: as before
    std::vector<std::string> removed;
    std::vector<manifest_file> added;
    // Parts of files that another manifest lists, whose content is in the files added: they are not read for it any more.
    std::vector<manifest_file> released;
    std::vector<lane_mark> lanes; // of records that are in the files added; not together with `released`

    bool operator==(const files_edit&) const = default;
};

using manifest_edit = std::variant<high_water_marks, files_edit, lane_mark>;

std::string encode(const manifest_edit&);
// corrupt; newer_format for a kind of edit that this version does not know.
base::expected<manifest_edit> decode_manifest_edit(std::string_view);

} // namespace shard

// All blobs of all shards, as a container shows them: sorted by name, their text addressed by its raw bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "base/error.hh"
#include "blobs/log_store.hh"

namespace blobs {

struct blob_info {
    std::string name;
    std::string source;
    unsigned shard = 0; // that has it
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    uint64_t records_count = 0;
    uint64_t raw_bytes = 0;
    uint64_t stored_bytes = 0; // of an open buffer: its memory
    bool is_open = false;      // a buffer, not a blob yet
};

enum class open_buffers : uint8_t { hidden, shown };

// The first `count` behind `after` that begin with the prefix.
seastar::future<std::vector<blob_info>> list_blobs(seastar::sharded<log_store>&, std::string prefix, std::string after,
                                                   size_t count, open_buffers);
// Also by a name it has replaced (replaced_names.hh); the name in the answer is its own. entity_not_found.
seastar::future<base::expected<blob_info>> find_blob(seastar::sharded<log_store>&, std::string name);
// Some of the text of a blob that was found, from this byte on: as much as one block has, and nothing at its end.
// entity_not_found when it is gone, or merged with others so that its name leads to another text; io_error, corrupt.
seastar::future<base::expected<std::string>> read_text(seastar::sharded<log_store>&, const blob_info&, uint64_t from);

// The same as a zstd frame. One behind the other, frames are what zstd makes of all of the text.
struct text_frame {
    std::string bytes;
    uint64_t raw_bytes = 0; // of the text in it
};
seastar::future<base::expected<text_frame>> read_frame(seastar::sharded<log_store>&, const blob_info&, uint64_t from);

struct source_info {
    std::string name;
    uint64_t records_count = 0;
    uint64_t raw_bytes = 0;
    uint64_t stored_bytes = 0;
    uint64_t blobs_count = 0;
    int64_t first_ns = INT64_MAX;
    int64_t last_ns = INT64_MIN;
};
// Of all shards, by name; the first `count` behind `after`.
seastar::future<std::vector<source_info>> list_sources(seastar::sharded<log_store>&, std::string after, size_t count);

} // namespace blobs

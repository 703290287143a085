// A small durable history: edits are appended, read back in order at the next open, and now and then replaced by a snapshot.
// The catalog and the manifests are edit logs. Lives on one shard.
//
// On disk it is two slots of two copies: PATH.0a, PATH.0b, PATH.1a, PATH.1b (FORMAT.md). One slot is live. An append is written
// and flushed to the first copy, then to the second, so only one copy is ever in motion. A rewrite fills the other slot, flushes
// it, and then writes its header, which makes it the live one; there is no moment without a whole history. All four files are
// filled with zeros ahead, so that appending about reserve_bytes and any number of rewrites need no space: dropping tables must
// work on a full disk.
//
// Damage in one copy is healed from the other at open. Damage in both is told, and everything else is still read.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <seastar/core/gate.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/shared_future.hh>

#include "base/error.hh"
#include "shard/core/edit_merge.hh"
#include "shard/edit_file.hh"

namespace shard {

// A history is read in one go at open and held in memory twice for that moment.
constexpr uint64_t edit_log_bytes_max = 32 << 20;

// Where a history is long that began with a snapshot of so many bytes: at four times that, but with room to spare for the edits
// until it is rewritten, however large the snapshot.
constexpr uint64_t long_history_bytes(uint64_t snapshot_bytes) {
    return std::min(4 * snapshot_bytes, snapshot_bytes / 2 + edit_log_bytes_max / 2);
}

struct edit_log_options {
    // Kept ready at the end of the live files, and behind a snapshot: some hundred edits of usual size. A multiple of a block.
    uint64_t reserve_bytes = 128 << 10;
};

struct edit_log_report {
    bool was_created = false;
    unsigned repairs_count = 0;   // stretches of one copy made good from the other, or an unfinished append wiped
    std::vector<lost_edits> lost; // gone from both copies
};

class edit_log {
public:
    struct opened;
    // Creates the log when it is not there (its folder must be). What was healed is durable when this resolves. The disk must
    // outlive the log. Errors: corrupt (no header is left), newer_format, io_error, out_of_space.
    static seastar::future<base::expected<opened>> open(disk&, std::string path, edit_log_options = {});
    // Makes a log that is not there, with this history. Errors as of open() and rewrite().
    static seastar::future<base::expected<void>> write_new(disk&, std::string path, std::vector<std::string> edits);
    ~edit_log();

    // Durable in both copies when it resolves with success. May be called again before that: edits are kept in the order of
    // the calls, and those that wait together share their flushes. Errors: out_of_space (nothing was written, the log stays
    // usable), io_error (unknown whether it was written; from here on everything is log_failed until the next open), log_failed,
    // invalid_argument (longer than edit_bytes_max).
    seastar::future<base::expected<void>> append(std::string edit);

    // Replaces the history: the snapshot must stand for every edit whose append() was called before. After a power cut the
    // history is the old one or the new one. Errors: as append(); with io_error the log may stay usable, see has_failed().
    seastar::future<base::expected<void>> rewrite(std::vector<std::string> edits);

    // Reads both copies and changes nothing; a sentence for each stretch that is damaged in one of them or in both. The next open
    // heals what it can. io_error, log_failed.
    seastar::future<base::expected<std::vector<std::string>>> check();

    // Waits for what is under way. Must be called before destruction; append() and rewrite() must not be called any more.
    seastar::future<> close();

    // What the history takes on disk, to tell when a rewrite pays.
    uint64_t size_bytes() const { return _end; }
    // False: the history has to be rewritten first.
    bool has_room_for(const std::string& edit) const {
        return _end + edit_frame{.edit = edit}.frame_bytes() <= edit_log_bytes_max;
    }
    bool has_failed() const { return _has_failed; }

private:
    using file_pair = std::array<edit_file, edit_copies_count>;
    struct batch;

    edit_log(disk& d, std::string path, edit_log_options options);

    // opening, edit_log_open.cc
    seastar::future<base::expected<opened>> load();
    seastar::future<> open_files();
    seastar::future<base::expected<void>> find_live_slot();
    seastar::future<bool> is_blank();
    seastar::future<> create();
    seastar::future<base::expected<opened>> read_history();
    seastar::future<base::expected<void>> heal(std::array<std::string, edit_copies_count> copies, std::vector<edit_repair>);

    // A string_view given to these stays alive until they resolve.
    seastar::future<base::expected<void>> write_batch(std::vector<std::string> edits);
    seastar::future<> write_live(uint64_t position, std::string_view blocks);
    seastar::future<> write_both(unsigned slot, uint64_t position, std::string_view blocks);
    seastar::future<> write_header(unsigned slot, edit_header);
    seastar::future<base::expected<std::string>> write_snapshot(unsigned slot, edit_header, std::vector<std::string> edits);
    seastar::future<std::string> write_frames(unsigned slot, uint64_t seed, std::vector<std::string> edits);
    seastar::future<base::expected<void>> make_room(unsigned slot, uint64_t end);
    seastar::future<> make_room_for_snapshot();
    base::error fail(const std::system_error&);
    base::error failed() const;
    void set_end(uint64_t end, std::string tail);

    disk& _disk;
    const std::string _path;
    const edit_log_options _options;
    std::array<file_pair, 2> _slots;
    std::array<uint64_t, 2> _used_end{}; // per slot: behind it there are only zeros
    unsigned _live = 0;
    edit_header _header;           // of the live slot
    uint64_t _last_generation = 0; // ever tried, so that no two snapshots share a seed
    uint64_t _next_number = 1;
    uint64_t _end = edit_block_bytes; // of the live slot: where the next frame goes
    std::string _tail;                // what the last block holds before _end; written again with the next edit
    bool _has_failed = false;
    seastar::lw_shared_ptr<batch> _joining; // takes more edits until its turn comes
    seastar::semaphore _turn{1};            // appends and rewrites, one at a time, in the order of the calls
    seastar::gate _work;
};

struct edit_log::opened {
    std::unique_ptr<edit_log> log;
    std::vector<std::string> edits;
    edit_log_report report;
};

} // namespace shard

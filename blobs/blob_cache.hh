// Blobs that were opened and may be wanted again: the last open_blobs_max of them.
#pragma once

#include <list>
#include <unordered_map>

#include <seastar/core/future.hh>
#include <seastar/core/semaphore.hh>

#include "base/error.hh"
#include "blobs/blob_file.hh"
#include "blobs/core/block_reader.hh"
#include "blobs/log_config.hh"

namespace blobs {

class blob_cache {
public:
    // io_error, corrupt.
    seastar::future<base::expected<open_blob_ptr>> open(blob_ptr);
    void forget(const blob_ptr& blob) { erase(blob.get()); }
    void clear();

    // Memory to decode blocks in, some MiB each: there are so many of them, and who wants another one waits.
    class lent_reader {
    public:
        ~lent_reader();
        lent_reader(lent_reader&&) = default;
        block_reader& operator*() { return *_reader; }

    private:
        friend blob_cache;
        lent_reader(blob_cache& from, seastar::semaphore_units<> turn);

        blob_cache* _from;
        seastar::semaphore_units<> _turn;
        std::unique_ptr<block_reader> _reader;
    };
    // Nobody waits for a second one while holding a first.
    seastar::future<lent_reader> lend_reader();
    // For texts on their way out; used without suspending.
    zstd_compressor& text_compressor();

private:
    struct entry {
        open_blob_ptr blob;
        std::list<const live_blob*>::iterator place;
    };

    void erase(const live_blob*);

    std::list<const live_blob*> _recent; // the last used first
    std::unordered_map<const live_blob*, entry> _open;
    seastar::semaphore _reader_turns{readers_max};
    std::unique_ptr<block_reader> _spare_reader;       // of the last one who had one
    std::unique_ptr<zstd_compressor> _text_compressor; // once somebody wanted it
};

} // namespace blobs

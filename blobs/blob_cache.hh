// Blobs that were opened and may be wanted again: the last open_blobs_max of them.
#pragma once

#include <list>
#include <unordered_map>

#include <seastar/core/future.hh>

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

    // Memory to decode blocks in: lent, so that there is as much of it as searches at a time.
    class lent_reader {
    public:
        explicit lent_reader(blob_cache& from) : _from(from), _reader(from.take_reader()) {}
        ~lent_reader() { _from._readers.push_back(std::move(_reader)); }
        lent_reader(const lent_reader&) = delete;
        block_reader& operator*() { return *_reader; }

    private:
        blob_cache& _from;
        std::unique_ptr<block_reader> _reader;
    };

private:
    struct entry {
        open_blob_ptr blob;
        std::list<const live_blob*>::iterator place;
    };

    void erase(const live_blob*);
    std::unique_ptr<block_reader> take_reader();

    std::list<const live_blob*> _recent; // the last used first
    std::unordered_map<const live_blob*, entry> _open;
    std::vector<std::unique_ptr<block_reader>> _readers; // those that nobody uses
};

} // namespace blobs

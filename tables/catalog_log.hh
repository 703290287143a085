// The catalog's history on disk: an edit log of catalog edits, kept by shard 0.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "shard/edit_log.hh"
#include "shard/snapshot_folder.hh"
#include "tables/core/catalog_edit.hh"
#include "tables/core/catalog_state.hh"

namespace tables {

class catalog_log {
public:
    struct opened;
    // Reads the history; `damage` has a sentence for each edit that is lost or does not fit the others. The disk must outlive it.
    static seastar::future<base::expected<opened>> open(shard::disk&);

    // Durable when it resolves with success; errors as of edit_log::append(). `before` is what the edits so far come to, and
    // stays as it is until then: a history that is full is replaced by it first.
    seastar::future<base::expected<void>> append(catalog_edit, const catalog_state& before);
    // Replaces a history that is much longer than the state by the state. A failure is not one of the caller's: it is tried again
    // after the next change.
    seastar::future<> shorten_if_long(const catalog_state&);
    // Writes the catalog of another store, whose folder is there. Errors as of edit_log::open().
    static seastar::future<base::expected<void>> write_copy(shard::snapshot_folder, const catalog_state&);
    // As of edit_log::check().
    seastar::future<base::expected<std::vector<std::string>>> check() { return _log->check(); }
    seastar::future<> stop() { return _log->close(); }

private:
    explicit catalog_log(std::unique_ptr<shard::edit_log> log) : _log(std::move(log)) {}

    seastar::future<> shorten(const catalog_state&);

    std::unique_ptr<shard::edit_log> _log;
    uint64_t _short_bytes = 0; // of the last snapshot
};

struct catalog_log::opened {
    std::unique_ptr<catalog_log> log;
    catalog_state state;
    std::vector<std::string> damage;
};

} // namespace tables

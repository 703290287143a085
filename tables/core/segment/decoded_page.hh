// A partition page decoded once for many readers: who is in the segment, from when to when, and the newest rows that the page
// has. What the block cache holds.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hh"
#include "tables/core/segment/block_rows.hh"
#include "tables/core/segment/partition_page.hh"
#include "tables/core/segment/segment_view.hh"

namespace tables {

class decoded_page {
public:
    // `bytes` as of segment_view::open_page(); nothing of them is kept.
    static base::expected<std::unique_ptr<decoded_page>> decode(const segment_view&, size_t page, std::string_view bytes,
                                                                codec::zstd_decompressor&);

    size_t size() const { return _page.size(); }
    partition_info operator[](size_t i) const { return _page[i]; }
    std::optional<size_t> find(std::string_view partition_key) const { return _page.find(partition_key); }
    // The first that is not before it; size() when there is none.
    size_t lower_bound(std::string_view partition_key) const { return _page.lower_bound(partition_key); }
    // The first of its rows with a time key, as the segment has it. Needs: this partition has its newest row in the page.
    segment_row newest_row(const partition_info& p) const { return (*_newest_rows)[*p.newest_row]; }

    size_t bytes() const { return sizeof *this + _page.heap_bytes() + (_newest_rows ? _newest_rows->heap_bytes() : 0); }

private:
    decoded_page(partition_page page, std::optional<block_rows> newest_rows)
        : _page(std::move(page)), _newest_rows(std::move(newest_rows)) {}

    partition_page _page;
    std::optional<block_rows> _newest_rows;
};

} // namespace tables

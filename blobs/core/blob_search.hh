// A search in one blob, step by step: it says which bytes it wants, is given them, and looks at some records of a block at a
// time. First the filters, one slice after another, as long as that is cheaper than reading the blocks that are left.
//
//   blob_search search(blob, predicate, scan_order::newest_first);
//   while (auto wanted = search.next()) {
//       auto good = search.bring(read(wanted->extent));          the bytes stay until the next bring
//       while (search.scan(reader, visit)) { yield if needed; }
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "blobs/core/blob_view.hh"
#include "blobs/core/predicate.hh"
#include "blobs/core/text_screen.hh"

namespace blobs {

enum class scan_order : uint8_t { newest_first, oldest_first };

// What of a record is wanted: without its texts and fields many need not be put together at all.
enum class record_parts : uint8_t { all, heads };

// Says whether to go on. The record is good during the call.
using record_visitor = std::function<bool(const record&)>;

class blob_search {
public:
    // Both outlive the search. The reader is lent by the shard: it is used from bring to the last scan of a block.
    blob_search(const blob_view&, const compiled_predicate&, scan_order, block_reader&, record_parts = record_parts::all);

    // What to read next; nothing when all is done or the visitor had enough.
    std::optional<blob_extent> next() const;
    // The bytes of next(). corrupt: they were not good; the search goes on without them, a filter with no loss, a block with
    // that of its records.
    base::expected<void> bring(std::string_view bytes);
    // Looks at no more than scan_records_max records of the block that was brought. False when there are no more in it. corrupt
    // ends the block, too.
    base::expected<bool> scan(const record_visitor&);

    static constexpr size_t scan_records_max = 512;

    uint64_t bytes_read() const { return _bytes_read; }
    size_t blocks_read() const { return _blocks_read; }

private:
    enum class stage : uint8_t { filters, blocks, done };

    size_t candidates_count() const;
    // Goes to the blocks when filters have no more to say.
    void settle_filters();
    void next_block();
    base::expected<bool> visit(size_t i, const record_visitor&);
    // Whether the content of a record that the screen knows nothing of matches.
    base::expected<bool> matches_content(size_t i);

    const blob_view& _blob;
    const compiled_predicate& _predicate;
    scan_order _order;
    block_reader& _reader;
    record_parts _parts;
    block_content _content; // heads: to the predicate, too
    text_screen _screen;
    std::vector<bool> _candidates;
    stage _stage = stage::filters;
    size_t _marks_asked = 0;
    size_t _block = 0; // the one wanted, or being scanned
    bool _is_open = false;
    size_t _seen = 0; // records of it that were looked at
    record_scratch _scratch;
    uint64_t _bytes_read = 0;
    size_t _blocks_read = 0;
};

} // namespace blobs

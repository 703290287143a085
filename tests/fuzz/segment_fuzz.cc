// A segment's reader on bytes from anywhere: whole files, and past the checksums each part alone. The first byte picks the part.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tables/core/segment/block_rows.hh"
#include "tables/core/segment/segment_view.hh"

using namespace tables;

static void check(bool is_good) {
    if (!is_good) {
        std::abort();
    }
}

// Two names with every type each, as the seeds have them.
static const segment_schema& schema() {
    static const auto made = [] {
        segment_schema s;
        for (const char* name : {"a", "b"}) {
            for (uint8_t type = 1; type <= 8; ++type) {
                s.find_or_add({name, static_cast<value_type>(type)});
            }
        }
        return s;
    }();
    return made;
}

static codec::zstd_decompressor& zstd() {
    static codec::zstd_decompressor made;
    return made;
}

static void read_rows(const block_view& block, const segment_schema& columns) {
    block_rows rows(block, columns, zstd());
    const size_t end = std::min<size_t>(block.rows_count(), 1'500);
    for (const row_range range : {row_range{0, end}, row_range{end / 2, end}}) {
        if (!rows.load(range)) {
            continue;
        }
        for (size_t i = 0; i < rows.size(); ++i) {
            const auto row = rows[i];
            check(row.kind == row_kind::remove || row.row.is_valid());
        }
    }
    std::ignore = block.find("partition", "row", zstd());
    std::ignore = block.lower_bound("p", base::inverted_text({1'000}), zstd());
}

static void read_block(std::string_view bytes) {
    if (const auto block = block_view::parse(bytes, schema())) {
        read_rows(*block, schema());
    }
}

static void read_page(std::string_view bytes) {
    if (const auto page = partition_page::parse(bytes, schema(), zstd())) {
        for (size_t i = 0; i < page->size(); ++i) {
            const auto info = (*page)[i];
            check(!info.newest_row || *info.newest_row < page->newest_rows()->rows_count());
        }
        if (page->newest_rows() != nullptr) {
            read_rows(*page->newest_rows(), schema());
        }
    }
}

static void ask(const segment_footer& footer) {
    for (size_t b = 0; b < std::min<size_t>(footer.blocks.size(), 100); ++b) {
        for (column_id id = 0; id < footer.schema.size(); ++id) {
            if (const auto range = footer.blocks.range(b, id); range && footer.schema[id].type == value_type::string) {
                std::ignore = orders_in(*range, value_type::string, value::of_string("literal"));
            }
        }
    }
}

static void read_file(std::string_view file) {
    if (file.size() < segment_layout::trailer_bytes) {
        return;
    }
    const auto trailer = segment_trailer::parse(file.substr(file.size() - segment_layout::trailer_bytes), file.size());
    if (!trailer) {
        return;
    }
    const auto segment = segment_view::open(*trailer, file.substr(trailer->footer.offset, trailer->footer.size));
    if (!segment) {
        return;
    }
    std::ignore = segment->locate("partition", "row");
    std::ignore = segment->locate(key_range::partition("p"));
    for (size_t b = 0; b < segment->blocks_count(); ++b) {
        const auto extent = segment->block(b).extent;
        if (const auto block = segment->open_block(b, file.substr(extent.offset, extent.size))) {
            read_rows(*block, segment->schema());
        }
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 4) {
    case 0: read_block(bytes); break;
    case 1: read_page(bytes); break;
    case 2:
        if (const auto footer = segment_footer::parse(bytes, uint64_t{1} << 30, zstd())) {
            ask(*footer);
        }
        break;
    case 3: read_file(bytes); break;
    }
    return 0;
}

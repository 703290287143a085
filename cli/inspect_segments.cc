#include <array>
#include <map>

#include <fmt/format.h>

#include "base/ticks.hh"
#include "cli/inspect.hh"
#include "tables/core/key.hh"
#include "tables/core/segment/block_builder.hh"
#include "tables/core/segment/decoded_block.hh"
#include "tables/core/segment/segment_directory.hh"

namespace cli {
namespace {

using namespace tables;

// Where the bytes of a segment are.
class byte_census {
public:
    void add(const block_view& block, const segment_schema& schema) {
        for (size_t i = 0; i < common_names.size(); ++i) {
            _common[i] += block.common_sizes()[i];
        }
        for (const auto& chunk : block.columns()) {
            auto& column = _columns[fmt::format("{} ({})", schema[chunk.id].name, type_name(chunk.type))];
            column.presence += chunk.presence.size();
            column.values += chunk.values.size();
        }
    }

    void print(const segment_view& segment, size_t bytes) const {
        fmt::print("  {} bytes in {} blocks:", bytes, segment.blocks_count());
        uint64_t rest = bytes;
        for (size_t i = 0; i < common_names.size(); ++i) {
            fmt::print(" {} {},", common_names[i], _common[i]);
            rest -= _common[i];
        }
        for (const auto& [name, column] : _columns) {
            rest -= column.presence + column.values;
        }
        fmt::print(" heads, pages, filters and footer {}\n", rest);
        for (const auto& [name, column] : _columns) {
            fmt::print("    {}: presence {}, values {}\n", name, column.presence, column.values);
        }
    }

private:
    static constexpr std::array<const char*, block_chunks_count> common_names{"partition keys", "time flags", "times", "suffixes",
                                                                              "other row keys", "Timestamps", "kinds"};
    struct column_bytes {
        uint64_t presence = 0;
        uint64_t values = 0;
    };

    static const char* type_name(value_type type) {
        constexpr std::array<const char*, 9> names{"",        "string",   "int32", "int64", "double",
                                                   "boolean", "datetime", "guid",  "binary"};
        return names[static_cast<size_t>(type)];
    }

    std::array<uint64_t, block_chunks_count> _common{};
    std::map<std::string, column_bytes> _columns;
};

// One segment with everything in it read, as a server would.
class segment_check {
public:
    segment_check(std::string_view bytes, bool prints_rows) : _bytes(bytes), _prints_rows(prints_rows) {}

    bool run() {
        const auto end = _bytes.substr(_bytes.size() - std::min(_bytes.size(), segment_layout::trailer_bytes));
        const auto trailer = segment_trailer::parse(end, _bytes.size());
        const auto opened = trailer ? segment_view::open(*trailer, part(trailer->footer)) : std::unexpected(trailer.error());
        if (!opened) {
            return tell("footer", opened.error());
        }
        print_facts(opened->facts());
        for (size_t i = 0; i < opened->blocks_count(); ++i) {
            check_block(*opened, i);
        }
        _census.print(*opened, _bytes.size());
        for (size_t i = 0; i < opened->pages_count(); ++i) {
            if (const auto page = opened->open_page(i, part(opened->page(i).extent), _zstd); !page) {
                tell(fmt::format("partition page {}", i), page.error());
            }
        }
        return _is_sound;
    }

private:
    std::string_view part(file_extent e) const {
        return e.offset > _bytes.size() ? std::string_view() : _bytes.substr(e.offset, e.size);
    }

    bool tell(const std::string& where, const base::error& e) {
        fmt::print("  DAMAGE in {}: {}\n", where, base::to_string(e));
        return _is_sound = false;
    }

    static void print_facts(const segment_facts& facts) {
        fmt::print("segment: table {}, {} rows ({} merges, {} removes) of {} partitions, sequences {} to {}\n", facts.table.value,
                   facts.rows_count, facts.merges_count, facts.removes_count, facts.partitions_count, facts.sequence_min.value,
                   facts.sequence_max.value);
        if (facts.newest) {
            fmt::print("  times {} to {}\n", base::to_text(*facts.oldest), base::to_text(*facts.newest));
        }
    }

    void check_block(const segment_view& segment, size_t i) {
        const auto info = segment.block(i);
        const auto where =
            fmt::format("block {}, from '{}' '{}' to '{}' '{}'", i, uncollate(info.first_partition_key),
                        uncollate(info.first_row_key), uncollate(info.last_partition_key), uncollate(info.last_row_key));
        if (const auto filter = segment.open_filter(i, part(segment.filter_extent(i))); info.filter_size > 0 && !filter) {
            tell("the filter of " + where, filter.error());
        }
        const auto rows = decoded_block::decode(segment, i, part(info.extent), _zstd);
        if (!rows) {
            tell(where, rows.error());
            return;
        }
        if (const auto block = segment.open_block(i, part(info.extent))) {
            _census.add(*block, segment.schema());
        }
        for (size_t r = 0; _prints_rows && r < (*rows)->size(); ++r) {
            const auto row = (**rows)[r];
            fmt::print("  {} / {}: {} properties\n", uncollate(row.partition_key), uncollate(row.row_key), row.row.size());
        }
    }

    std::string_view _bytes;
    bool _prints_rows;
    bool _is_sound = true;
    byte_census _census;
    codec::zstd_decompressor _zstd;
};

} // namespace

verdict inspect_segments(const inspected_file& file) {
    if (!file.path.ends_with(".seg")) {
        return verdict::other_kind;
    }
    const auto directory = segment_directory::parse(file.content, file.content.size());
    if (!directory) {
        fmt::print("{}: {}\n", file.path, base::to_string(directory.error()));
        return verdict::damaged;
    }
    bool is_sound = true;
    for (const auto& s : directory->segments) {
        is_sound &= segment_check(std::string_view(file.content).substr(s.extent.offset, s.extent.size), file.prints_rows).run();
    }
    return is_sound ? verdict::sound : verdict::damaged;
}

} // namespace cli

#include <array>

#include <fmt/format.h>

#include "base/ticks.hh"
#include "cli/inspect.hh"
#include "shard/core/edit_merge.hh"
#include "tables/core/catalog_edit.hh"

namespace cli {
namespace {

struct edit_text {
    std::string operator()(const tables::create_table_edit& e) const {
        const auto& t = e.table;
        auto text = fmt::format("create table {} '{}' of account '{}', {}", t.id.value, t.name, t.account, base::to_text(t.created));
        if (t.family) {
            text += fmt::format(", family '{}' from {}, spread {}", t.family->family, base::to_text(t.family->period_start), t.family->spread);
        }
        return text;
    }
    std::string operator()(const tables::drop_table_edit& e) const { return fmt::format("drop table {}", e.id.value); }
    std::string operator()(const tables::next_id_edit& e) const { return fmt::format("next table id {}", e.id.value); }
    std::string operator()(const tables::attribute_edit& e) const {
        return fmt::format("set '{}' of {} to {} bytes", e.key, e.id.value == 0 ? "account " + e.account : fmt::format("table {}", e.id.value),
                           e.value.size());
    }
};

} // namespace

// One copy on its own: what the other copy could heal is damage here.
verdict inspect_edits(const inspected_file& file) {
    const std::string_view content = file.content;
    const auto header = shard::parse_edit_header(content.substr(0, shard::edit_block_bytes));
    if (!header) {
        return verdict::other_kind;
    }
    fmt::print("edits: log {:016x}, generation {}, {} edits in its snapshot\n", header->log_id, header->generation, header->snapshot_count);
    shard::edit_merger edits({content, content}, *header);
    bool is_sound = true;
    for (uint64_t number = 1;; ++number) {
        const auto bytes = edits.next();
        if (!bytes) {
            break;
        }
        const auto edit = tables::decode_catalog_edit(*bytes);
        fmt::print("{:>8}  {}\n", number, edit ? std::visit(edit_text(), *edit) : base::to_string(edit.error()));
        is_sound &= edit.has_value();
    }
    for (const auto& lost : edits.lost()) {
        fmt::print("DAMAGE at byte {}: edits {} to {} cannot be read from this copy\n", lost.position, lost.first_number, lost.next_number - 1);
        is_sound = false;
    }
    return is_sound ? verdict::sound : verdict::damaged;
}

} // namespace cli

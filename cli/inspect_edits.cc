#include <filesystem>

#include <fmt/format.h>

#include "base/ticks.hh"
#include "cli/inspect.hh"
#include "shard/core/edit_merge.hh"
#include "shard/core/manifest_edit.hh"
#include "tables/core/catalog_edit.hh"

namespace cli {
namespace {

struct edit_text {
    std::string operator()(const tables::create_table_edit& e) const {
        const auto& t = e.table;
        auto text =
            fmt::format("create table {} '{}' of account '{}', {}", t.id.value, t.name, t.account, base::to_text(t.created));
        if (t.family) {
            text += fmt::format(", family '{}' from {}, spread {}", t.family->family, base::to_text(t.family->period_start),
                                t.family->spread);
        }
        return text;
    }
    std::string operator()(const tables::drop_table_edit& e) const { return fmt::format("drop table {}", e.id.value); }
    std::string operator()(const tables::next_id_edit& e) const { return fmt::format("next table id {}", e.id.value); }
    std::string operator()(const tables::attribute_edit& e) const {
        return fmt::format("set '{}' of {} to {} bytes", e.key,
                           e.id.value == 0 ? "account " + e.account : fmt::format("table {}", e.id.value), e.value.size());
    }
};

base::expected<std::string> catalog_text(std::string_view bytes) {
    return tables::decode_catalog_edit(bytes).transform([](const auto& edit) { return std::visit(edit_text(), edit); });
}

std::string marks_text(const shard::high_water_marks& marks) {
    return fmt::format("epoch {} begins above sequence {} and timestamp {}", marks.epoch, marks.sequence.value,
                       base::to_text(marks.timestamp));
}

std::string lane_text(const shard::lane_mark& mark) {
    return fmt::format("records of shard {}: in files to sequence {}", mark.shard, mark.sequence.value);
}

std::string files_text(const shard::files_edit& edit) {
    std::string text = edit.flushed.epoch == 0
                           ? "files:"
                           : fmt::format("flushed to sequence {} of epoch {}:", edit.flushed.sequence.value, edit.flushed.epoch);
    for (const auto& name : edit.removed) {
        text += " -" + name;
    }
    for (const auto& file : edit.added) {
        text += " +" + file.name;
    }
    for (const auto& mark : edit.lanes) {
        text += "; " + lane_text(mark);
    }
    return text;
}

std::string manifest_edit_text(const shard::high_water_marks& marks) {
    return marks_text(marks);
}
std::string manifest_edit_text(const shard::files_edit& edit) {
    return files_text(edit);
}
std::string manifest_edit_text(const shard::lane_mark& mark) {
    return lane_text(mark);
}

base::expected<std::string> manifest_text(std::string_view bytes) {
    return shard::decode_manifest_edit(bytes).transform(
        [](const shard::manifest_edit& edit) { return std::visit([](const auto& e) { return manifest_edit_text(e); }, edit); });
}

} // namespace

// One copy on its own: what the other copy could heal is damage here.
verdict inspect_edits(const inspected_file& file) {
    const std::string_view content = file.content;
    const auto header = shard::parse_edit_header(content.substr(0, shard::edit_block_bytes));
    if (!header) {
        return verdict::other_kind;
    }
    fmt::print("edits: log {:016x}, generation {}, {} edits in its snapshot\n", header->log_id, header->generation,
               header->snapshot_count);
    const bool is_manifest = std::filesystem::path(file.path).parent_path().filename() == "manifest";
    shard::edit_merger edits({content, content}, *header);
    bool is_sound = true;
    for (uint64_t number = 1;; ++number) {
        const auto bytes = edits.next();
        if (!bytes) {
            break;
        }
        const auto text = is_manifest ? manifest_text(*bytes) : catalog_text(*bytes);
        fmt::print("{:>8}  {}\n", number, text ? *text : base::to_string(text.error()));
        is_sound &= text.has_value();
    }
    for (const auto& lost : edits.lost()) {
        fmt::print("DAMAGE at byte {}: edits {} to {} cannot be read from this copy\n", lost.position, lost.first_number,
                   lost.next_number - 1);
        is_sound = false;
    }
    return is_sound ? verdict::sound : verdict::damaged;
}

} // namespace cli

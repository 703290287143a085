#include "shard/core/manifest_state.hh"

#include <algorithm>
#include <utility>

namespace shard {
namespace {

// An edit of a snapshot is cut where it would come near the longest that an edit log takes.
constexpr size_t snapshot_edit_bytes = 256 << 10;

} // namespace

void manifest_state::apply(const manifest_edit& edit) {
    std::visit([this](const auto& e) { take(e); }, edit);
}

void manifest_state::take(const files_edit& edit) {
    auto& [flushed, flushed_by_shards, files, released] = _parts[static_cast<size_t>(edit.owner) - 1];
    for (const auto& name : edit.removed) {
        files.erase(name);
        released.erase(name);
    }
    for (const auto& file : edit.added) {
        files[file.name] = file.facts;
    }
    for (const auto& file : edit.released) {
        released[file.name] = file.facts;
    }
    if (edit.flushed.epoch != 0) {
        flushed = edit.flushed;
        flushed_by_shards[flushed.shards_count] = flushed;
    }
    for (const auto& mark : edit.lanes) {
        take(mark);
    }
}

void manifest_state::take(const lane_mark& mark) {
    auto& known = _lanes[mark.shard];
    known = std::max(known, mark.sequence);
}

std::vector<manifest_edit> manifest_state::snapshot() const {
    std::vector<manifest_edit> edits{_marks};
    for (const auto owner : {log_owner::rows, log_owner::records}) {
        const auto& [flushed, flushed_by_shards, all, released] = part_of(owner);
        for (const auto& [shards_count, mark] : flushed_by_shards) {
            if (mark != flushed) {
                edits.emplace_back(files_edit{.owner = owner, .flushed = mark});
            }
        }
        files_edit files{.owner = owner, .flushed = flushed};
        size_t bytes = 0;
        const auto add = [&](std::vector<manifest_file> files_edit::* list, const auto& file) {
            if (bytes > snapshot_edit_bytes) {
                edits.emplace_back(std::exchange(files, {.owner = owner, .flushed = flushed}));
                bytes = 0;
            }
            (files.*list).push_back({file.first, file.second});
            bytes += file.first.size() + file.second.size();
        };
        for (const auto& file : all) {
            add(&files_edit::added, file);
        }
        for (const auto& file : released) {
            add(&files_edit::released, file);
        }
        edits.emplace_back(std::move(files));
    }
    for (const auto& [shard, sequence] : _lanes) {
        edits.emplace_back(lane_mark{shard, sequence});
    }
    return edits;
}

} // namespace shard

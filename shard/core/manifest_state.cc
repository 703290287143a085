#include "shard/core/manifest_state.hh"

namespace shard {
namespace {

// An edit of a snapshot is cut where it would come near the longest that an edit log takes.
constexpr size_t snapshot_edit_bytes = 256 << 10;

} // namespace

void manifest_state::apply(const manifest_edit& edit) {
    std::visit([this](const auto& e) { apply(e); }, edit);
}

void manifest_state::apply(const files_edit& edit) {
    for (const auto& name : edit.removed) {
        _files.erase(name);
    }
    for (const auto& file : edit.added) {
        _files[file.name] = file.facts;
    }
    if (edit.flushed.epoch != 0) {
        _flushed = edit.flushed;
    }
}

std::vector<manifest_edit> manifest_state::snapshot() const {
    std::vector<manifest_edit> edits{_marks};
    files_edit files{.flushed = _flushed};
    size_t bytes = 0;
    for (const auto& [name, facts] : _files) {
        files.added.push_back({name, facts});
        bytes += name.size() + facts.size();
        if (bytes > snapshot_edit_bytes) {
            edits.emplace_back(std::move(files));
            files = {.flushed = _flushed};
            bytes = 0;
        }
    }
    edits.emplace_back(std::move(files));
    return edits;
}

} // namespace shard

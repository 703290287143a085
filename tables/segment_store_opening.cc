// Opening: from what the manifests list to segments on the shards whose rows they have.

#include <algorithm>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>

#include "shard/disk_error.hh"
#include "tables/core/segment/segment_name.hh"
#include "tables/logger.hh"
#include "tables/segment_store.hh"

namespace tables {

seastar::future<base::expected<void>> segment_store::open_manifests(std::vector<unsigned> shards) {
    for (const auto shard : shards) {
        auto opened = co_await shard::manifest::open(_disk, shard);
        if (!opened) {
            co_return std::unexpected(opened.error());
        }
        _has_lost_edits |= !opened->damage.empty();
        _damage.insert(_damage.end(), opened->damage.begin(), opened->damage.end());
        for (const auto& [place, facts] : opened->log->state().released(shard::log_owner::rows)) {
            base::byte_reader in(facts);
            _releases[place].add(slot_set::take(in));
        }
        _manifests.push_back(std::move(opened->log));
    }
    co_return base::expected<void>();
}

seastar::future<> segment_store::load(const catalog_state& catalog, segment_sink sink) {
    for (const auto& m : _manifests) {
        const auto files = m->state().files(shard::log_owner::rows); // a copy: edits come in between
        for (const auto& [name, facts] : files) {
            co_await load_file(*m, name, facts, catalog, sink);
        }
    }
}

seastar::future<> segment_store::load_file(shard::manifest& m, std::string name, std::string facts, const catalog_state& catalog,
                                           const segment_sink& sink) {
    auto directory = segment_directory::parse_list(facts);
    if (!directory) {
        _damage.push_back(fmt::format("manifest: {}: {}", name, base::to_string(directory.error())));
        co_return;
    }
    auto& segments = directory->segments;
    const auto is_unknown = [&](const stored_segment& s) { return catalog.find(s.table) == nullptr; };
    if (!_keeps_unknown) {
        std::erase_if(segments, is_unknown);
    }
    if (segments.empty()) {
        co_await drop_file(m, std::move(name));
        co_return;
    }
    auto file = co_await open_segment_file(_disk, _work.hold(), segment_path(name));
    if (!file) {
        _damage.push_back(base::to_string(file.error()));
        for (const auto& s : segments) {
            if (!is_unknown(s)) {
                co_await sink(s, segment_path(name), std::unexpected(file.error()), {});
            }
        }
        co_return;
    }
    if (const auto count = std::ranges::count_if(segments, is_unknown); count > 0) {
        _damage.push_back(fmt::format(
            "{}: {} segments are of tables that were dropped or that the catalog has lost; they are kept", name, count));
    }
    live_file live{.file = std::move(*file), .listed_in = &m, .bytes = segments.back().extent.end()};
    for (const auto& s : segments) {
        if (is_unknown(s)) {
            _last_unknown = std::max(_last_unknown, s.table);
            live.segments.push_back(s);
            continue;
        }
        auto found = co_await segment::open(_cache, _zstd, live.file, s);
        if (!found) {
            _damage.push_back(base::to_string(found.error()));
        }
        const auto slots = found ? unreleased(name, **found) : slot_set();
        if (found && slots.is_empty()) {
            live.is_released = true;
            continue;
        }
        live.segments.push_back(s);
        live.slots.emplace(s.extent.offset, slots);
        co_await sink(s, segment_path(name), std::move(found), slots);
    }
    if (live.segments.empty()) {
        co_await unlist(m, std::move(name)); // and then it is a leftover
        co_return;
    }
    _files_bytes += live.bytes;
    _files.emplace(std::move(name), std::move(live));
}

slot_set segment_store::unreleased(const std::string& file, const segment& s) const {
    auto slots = s.facts().slots;
    if (const auto found = _releases.find(place_name(file, s.place().extent.offset)); found != _releases.end()) {
        slots.remove(found->second);
    }
    return slots;
}

// It may be gone already: unlinking comes before the edit.
seastar::future<> segment_store::drop_file(shard::manifest& m, std::string name) {
    try {
        if (co_await _disk.exists(segment_path(name))) {
            co_await _disk.remove(segment_path(name));
        }
    } catch (const std::exception& e) {
        logger.warn("{}: cannot be removed: {}", name, e.what());
        co_return;
    }
    co_await unlist(m, std::move(name));
}

seastar::future<> segment_store::unlist(shard::manifest& m, std::string name) {
    if (auto done = co_await m.apply(shard::files_edit{.removed = {name}}); !done) {
        logger.warn("{}: cannot be taken out of the manifest, the next start will: {}", name, base::to_string(done.error()));
    }
}

seastar::future<segment_store::found_segment> segment_store::open_shared(std::string path, stored_segment place, slot_set ours) {
    auto file = co_await open_segment_file(_disk, _work.hold(), std::move(path));
    if (!file) {
        co_return std::unexpected(file.error());
    }
    auto opened = co_await segment::open(_cache, _zstd, std::move(*file), place);
    if (opened) {
        (*opened)->keep_only(ours, _placement);
    }
    co_return opened;
}

seastar::future<base::expected<void>> segment_store::remove_leftovers() {
    try {
        co_await _disk.make_directory(segments_folder);
        co_await _disk.sync_directory("");
        std::set<unsigned> kept;
        for (const auto& m : _manifests) {
            kept.insert(m->shard());
        }
        const auto names = co_await _disk.list(segments_folder);
        for (const auto& name : names) {
            const auto parts = segment_name::parse(name);
            if (!parts || !kept.contains(parts->shard)) {
                continue;
            }
            note_name(name);
            const bool is_listed = std::ranges::any_of(
                _manifests, [&](const auto& m) { return m->state().files(shard::log_owner::rows).contains(name); });
            if (!is_listed && !_has_lost_edits) {
                co_await _disk.remove(segment_path(name));
            }
        }
        co_await forget_releases({names.begin(), names.end()});
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, "the folder of the segments"));
    }
    for (const auto& [name, facts] : own_manifest().state().files(shard::log_owner::rows)) {
        note_name(name);
    }
    // A file that came back under the name of a released one would be taken for it.
    for (const auto& [place, slots] : _releases) {
        note_name(file_of(place));
    }
    co_return base::expected<void>();
}

void segment_store::note_name(std::string_view name) {
    if (const auto parts = segment_name::parse(name); parts && parts->shard == seastar::this_shard_id()) {
        _next_number = std::max(_next_number, parts->number + 1);
    }
}

// Of files that are gone. What cannot be written now is written by the next start.
seastar::future<> segment_store::forget_releases(std::set<std::string, std::less<>> files) {
    for (const auto& m : _manifests) {
        shard::files_edit edit;
        for (const auto& [place, facts] : m->state().released(shard::log_owner::rows)) {
            if (!files.contains(file_of(place))) {
                edit.removed.push_back(place);
            }
        }
        if (edit.removed.empty()) {
            continue;
        }
        if (auto done = co_await m->apply(std::move(edit)); !done) {
            logger.warn("releases of files that are gone stay in the manifest: {}", base::to_string(done.error()));
        }
    }
}

} // namespace tables

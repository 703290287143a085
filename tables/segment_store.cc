#include "tables/segment_store.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>

#include "shard/background.hh"
#include "shard/disk_error.hh"
#include "tables/core/segment/segment_name.hh"
#include "tables/logger.hh"

namespace tables {
namespace {

// Of the edit that exchanges files for others: for the names and slots of one, for each segment that stays in it, and for all
// together. What it comes to is never more than twice that.
constexpr size_t named_file_bytes = 128;
constexpr size_t named_segment_bytes = 16; // three varints
constexpr size_t exchange_bytes_wanted = shard::edit_bytes_max / 2;

// Listed where new files go, and all of it read here only: it can be exchanged with one edit.
bool is_own(const segment& s) {
    return !s.is_partial() && segment_name::parse(s.file().name())->shard == seastar::this_shard_id();
}

std::string facts_of(const segment_directory& directory) {
    std::string facts;
    directory.encode_list(facts);
    return facts;
}

} // namespace

segment_store::segment_store(shard::disk& d, uint64_t cache_bytes_max) : _disk(d), _cache(cache_bytes_max) {}

segment_store::~segment_store() = default;

seastar::future<> segment_store::stop() {
    for (auto& [name, file] : _files) {
        file.file = nullptr;
    }
    co_await _work.close();
    for (auto& m : _manifests) {
        co_await m->close();
    }
}

std::string segment_store::next_name() {
    return segment_name{seastar::this_shard_id(), _next_number++}.text();
}

seastar::future<base::expected<void>> segment_store::open_segments(const written_file& written, new_files& out) {
    auto opened = co_await open_segment_file(_disk, _work.hold(), segment_path(written.name));
    if (!opened) {
        co_return std::unexpected(opened.error());
    }
    out.files.push_back(*opened);
    for (const auto& place : written.directory.segments) {
        auto one = co_await segment::open(_cache, _zstd, *opened, place);
        if (!one) {
            co_return std::unexpected(one.error());
        }
        out.segments.push_back(std::move(*one));
    }
    co_return base::expected<void>();
}

// Also makes their names durable.
seastar::future<base::expected<segment_store::new_files>> segment_store::open_new(const std::vector<written_file>& written) {
    new_files made;
    for (const auto& w : written) {
        if (auto opened = co_await open_segments(w, made); !opened) {
            co_return std::unexpected(opened.error());
        }
    }
    try {
        co_await _disk.sync_directory(segments_folder);
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, segments_folder));
    }
    co_return made;
}

void segment_store::adopt(std::vector<written_file> written, new_files& made) {
    for (size_t i = 0; i < written.size(); ++i) {
        _files_bytes += written[i].bytes;
        _files.emplace(written[i].name, live_file{.file = made.files[i],
                                                  .segments = std::move(written[i].directory.segments),
                                                  .listed_in = &own_manifest(),
                                                  .bytes = written[i].bytes});
    }
}

seastar::future<base::expected<std::vector<segment_ptr>>> segment_store::commit(std::vector<written_file> written,
                                                                                edit_maker make_edit) {
    auto made = co_await open_new(written);
    auto edit = made ? make_edit() : std::unexpected(made.error());
    if (!edit) {
        co_await discard(std::move(written));
        co_return std::unexpected(edit.error());
    }
    for (const auto& w : written) {
        edit->added.push_back({w.name, facts_of(w.directory)});
    }
    auto done = co_await own_manifest().apply(std::move(*edit));
    if (!done) {
        // After an I/O error the edit may be in the manifest all the same, so the files have to stay.
        if (done.error().code != base::errc::io_error) {
            co_await discard(std::move(written));
        }
        co_return std::unexpected(done.error());
    }
    adopt(std::move(written), *made);
    co_return std::move(made->segments);
}

seastar::future<> segment_store::discard(std::vector<written_file> files) {
    for (const auto& f : files) {
        try {
            co_await _disk.remove(segment_path(f.name));
        } catch (const std::exception& e) {
            logger.warn("{}: cannot be removed, the next start will: {}", f.name, e.what());
        }
    }
}

seastar::future<base::expected<std::vector<segment_ptr>>> segment_store::publish(std::vector<written_file> written,
                                                                                 shard::flushed_mark flushed) {
    const auto hold = _work.hold();
    co_return co_await commit(std::move(written), [flushed] { return shard::files_edit{.flushed = flushed}; });
}

// With what this shard had released of it before, under another core count.
shard::manifest_file segment_store::release_of(const released_segment& r) const {
    const auto name = place_name(r.file, r.place.extent.offset);
    auto slots = r.slots;
    const auto& before = _manifests.front()->state().released(shard::log_owner::rows);
    if (const auto found = before.find(name); found != before.end()) {
        base::byte_reader in(found->second);
        slots.add(slot_set::take(in));
    }
    shard::manifest_file release{name, {}};
    slots.encode(release.facts);
    return release;
}

// A file that held other tables too stays, with less in it.
base::expected<shard::files_edit> segment_store::edit_without(const std::vector<segment_ptr>& old,
                                                              const std::vector<released_segment>& released) const {
    std::map<std::string, std::vector<stored_segment>> rest;
    for (const auto& s : old) {
        const auto file = _files.find(s->file().name());
        if (file == _files.end()) {
            return base::fail(base::errc::table_not_found); // dropped in the meantime
        }
        auto& segments = rest.try_emplace(file->first, file->second.segments).first->second;
        std::erase(segments, s->place());
    }
    shard::files_edit edit;
    for (const auto& [name, segments] : rest) {
        if (segments.empty()) {
            edit.removed.push_back(name);
        } else {
            edit.added.push_back({name, facts_of({segments})});
        }
    }
    std::ranges::transform(released, std::back_inserter(edit.released), [this](const auto& r) { return release_of(r); });
    return edit;
}

size_t segment_store::exchangeable_count(const std::vector<segment_ptr>& old) const {
    size_t bytes = 0;
    for (size_t i = 0; i < old.size(); ++i) {
        const auto file = _files.find(old[i]->file().name());
        const auto others_count = file == _files.end() ? 0 : file->second.segments.size();
        bytes += named_file_bytes + others_count * named_segment_bytes;
        if (i >= 2 && bytes > exchange_bytes_wanted) {
            return i;
        }
    }
    return old.size();
}

seastar::future<base::expected<segment_store::exchanged>> segment_store::exchange(std::vector<segment_ptr> old,
                                                                                  std::vector<written_file> merged) {
    const auto hold = _work.hold();
    const auto turn = co_await seastar::get_units(_exchange_turn, 1);
    exchanged done;
    const auto others = std::ranges::stable_partition(old, [](const auto& s) { return is_own(*s); });
    for (const auto& s : others) {
        done.released.push_back({s->file().name(), s->place(), s->slots()});
    }
    old.erase(others.begin(), others.end());
    std::vector<std::string> unlisted;
    auto segments = co_await commit(std::move(merged), [&] {
        auto edit = edit_without(old, done.released);
        unlisted = edit ? edit->removed : std::vector<std::string>();
        return edit;
    });
    if (!segments) {
        co_return std::unexpected(segments.error());
    }
    done.merged = std::move(*segments);
    for (const auto& s : old) {
        // Gone when its table was dropped in the meantime.
        if (const auto file = _files.find(s->file().name()); file != _files.end()) {
            std::erase(file->second.segments, s->place());
        }
    }
    for (const auto& name : unlisted) {
        if (auto file = _files.extract(name)) {
            unlink(std::move(file.mapped()));
        }
    }
    retire_empty(); // what else it held was released or dropped while the edit was written
    co_return done;
}

void segment_store::take_back(const released_segment& r) {
    const auto found = _files.find(r.file);
    if (found == _files.end()) {
        return;
    }
    auto& file = found->second;
    const auto left = file.slots.find(r.place.extent.offset);
    if (left == file.slots.end()) {
        return;
    }
    left->second.remove(r.slots);
    if (left->second.is_empty()) {
        std::erase(file.segments, r.place);
        file.is_released = true;
        retire_empty();
    }
}

void segment_store::unhold_files() {
    --_holds;
    retire_empty();
}

void segment_store::forget(base::table_id table) {
    for (auto& [name, file] : _files) {
        std::erase_if(file.segments, [&](const stored_segment& s) { return s.table == table; });
    }
    retire_empty();
}

void segment_store::retire_empty() {
    if (_holds > 0) {
        return;
    }
    std::vector<std::string> empty;
    for (const auto& [name, file] : _files) {
        if (file.segments.empty()) {
            empty.push_back(name);
        }
    }
    for (const auto& name : empty) {
        retire(name, std::move(_files.extract(name).mapped()));
    }
}

void segment_store::unlink(live_file file) {
    _files_bytes -= file.bytes;
    file.file->doom(file.bytes);
}

// Of a dropped table it does not matter whether the unlinking or the edit comes first: a listed file without a live table is
// looked for and forgotten. A file that was released has to be there as long as it is listed.
void segment_store::retire(std::string name, live_file file) {
    auto* const listed_in = file.listed_in;
    std::optional<live_file> later;
    if (file.is_released) {
        later = std::move(file);
    } else {
        unlink(std::move(file));
    }
    shard::run_in_background(_work, "taking a file out of the manifest",
                             [this, name, listed_in, later = std::move(later)]() mutable {
                                 return listed_in->apply(shard::files_edit{.removed = {name}})
                                     .then([this, name, later = std::move(later)](base::expected<void> done) mutable {
                                         if (!done) {
                                             logger.warn("{}: still in the manifest: {}", name, base::to_string(done.error()));
                                         } else if (later) {
                                             unlink(std::move(*later));
                                         }
                                     });
                             });
}

} // namespace tables

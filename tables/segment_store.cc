#include "tables/segment_store.hh"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>
#include <seastar/util/log.hh>

#include "shard/background.hh"
#include "shard/disk_error.hh"

namespace tables {
namespace {

seastar::logger logger("segment_store");

constexpr std::string_view suffix = ".seg";

std::string path_of(const std::string& name) {
    return segments_folder + '/' + name;
}

std::string name_of(unsigned shard, uint64_t number) {
    return fmt::format("{:03}-{:012}{}", shard, number, suffix);
}

struct name_parts {
    unsigned shard = 0;
    uint64_t number = 0;
};

std::optional<name_parts> parse_name(const std::string& name) {
    name_parts parts;
    const char* const end = name.data() + name.size();
    const auto [dash, shard_status] = std::from_chars(name.data(), end, parts.shard);
    if (shard_status != std::errc() || dash == end) {
        return std::nullopt;
    }
    std::from_chars(dash + 1, end, parts.number);
    return name == name_of(parts.shard, parts.number) ? std::optional(parts) : std::nullopt;
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

// --- opening ---------------------------------------------------------------------------------------------------------------

seastar::future<base::expected<void>> segment_store::open_manifests(std::vector<unsigned> shards) {
    for (const auto shard : shards) {
        auto opened = co_await shard::manifest::open(_disk, shard);
        if (!opened) {
            co_return std::unexpected(opened.error());
        }
        _has_lost_edits |= !opened->damage.empty();
        _damage.insert(_damage.end(), opened->damage.begin(), opened->damage.end());
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
    std::erase_if(segments, [&](const stored_segment& s) { return catalog.find(s.table) == nullptr; });
    if (segments.empty()) {
        co_await drop_file(m, std::move(name));
        co_return;
    }
    auto file = co_await open_segment_file(_disk, _work.hold(), path_of(name));
    if (!file) {
        _damage.push_back(base::to_string(file.error()));
    }
    for (const auto& s : segments) {
        found_segment found = std::unexpected(base::error());
        if (file) {
            found = co_await segment::open(_cache, _zstd, *file, s);
        } else {
            found = std::unexpected(file.error());
        }
        if (file && !found) {
            _damage.push_back(base::to_string(found.error()));
        }
        co_await sink(s, path_of(name), std::move(found));
    }
    if (file) {
        const auto bytes = segments.back().extent.end();
        _files_bytes += bytes;
        _files.emplace(name, live_file{std::move(*file), std::move(segments), &m, bytes});
    }
}

// It may be gone already: unlinking comes before the edit.
seastar::future<> segment_store::drop_file(shard::manifest& m, std::string name) {
    try {
        if (co_await _disk.exists(path_of(name))) {
            co_await _disk.remove(path_of(name));
        }
    } catch (const std::exception& e) {
        logger.warn("{}: cannot be removed: {}", name, e.what());
        co_return;
    }
    if (auto done = co_await m.apply(shard::files_edit{.removed = {name}}); !done) {
        logger.warn("{}: cannot be taken out of the manifest, the next start will: {}", name, base::to_string(done.error()));
    }
}

seastar::future<segment_store::found_segment> segment_store::open_shared(std::string path, stored_segment place) {
    auto file = co_await open_segment_file(_disk, _work.hold(), std::move(path));
    if (!file) {
        co_return std::unexpected(file.error());
    }
    auto opened = co_await segment::open(_cache, _zstd, std::move(*file), place);
    if (opened) {
        (*opened)->set_shared();
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
            const auto parts = parse_name(name);
            if (!parts || !kept.contains(parts->shard)) {
                continue;
            }
            if (parts->shard == seastar::this_shard_id()) {
                _next_number = std::max(_next_number, parts->number + 1);
            }
            const bool is_listed = std::ranges::any_of(_manifests, [&](const auto& m) { return m->state().files(shard::log_owner::rows).contains(name); });
            if (!is_listed && !_has_lost_edits) {
                co_await _disk.remove(path_of(name));
            }
        }
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, "the folder of the segments"));
    }
    for (const auto& [name, facts] : own_manifest().state().files(shard::log_owner::rows)) {
        if (const auto parts = parse_name(name); parts && parts->shard == seastar::this_shard_id()) {
            _next_number = std::max(_next_number, parts->number + 1);
        }
    }
    co_return base::expected<void>();
}

// --- running ---------------------------------------------------------------------------------------------------------------

std::string segment_store::next_name() {
    return name_of(seastar::this_shard_id(), _next_number++);
}

seastar::future<base::expected<void>> segment_store::open_segments(const written_file& written, new_files& out) {
    auto opened = co_await open_segment_file(_disk, _work.hold(), path_of(written.name));
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
        _files.emplace(written[i].name,
                       live_file{made.files[i], std::move(written[i].directory.segments), &own_manifest(), written[i].bytes});
    }
}

seastar::future<base::expected<std::vector<segment_ptr>>> segment_store::commit(std::vector<written_file> written, shard::files_edit edit) {
    auto made = co_await open_new(written);
    if (!made) {
        co_await discard(std::move(written));
        co_return std::unexpected(made.error());
    }
    for (const auto& w : written) {
        edit.added.push_back({w.name, facts_of(w.directory)});
    }
    auto done = co_await own_manifest().apply(std::move(edit));
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
            co_await _disk.remove(path_of(f.name));
        } catch (const std::exception& e) {
            logger.warn("{}: cannot be removed, the next start will: {}", f.name, e.what());
        }
    }
}

seastar::future<base::expected<std::vector<segment_ptr>>> segment_store::publish(std::vector<written_file> written,
                                                                                 shard::flushed_mark flushed) {
    const auto hold = _work.hold();
    co_return co_await commit(std::move(written), {.flushed = flushed});
}

bool segment_store::can_exchange(const segment& s) const {
    const auto file = _files.find(s.file().name());
    return !s.is_shared() && file != _files.end() && file->second.listed_in == _manifests.front().get();
}

// A file that held other tables too stays, with less in it.
seastar::future<base::expected<std::vector<segment_ptr>>> segment_store::exchange(std::vector<segment_ptr> old,
                                                                                  std::vector<written_file> merged) {
    const auto hold = _work.hold();
    const auto turn = co_await seastar::get_units(_exchange_turn, 1);
    std::map<std::string, std::vector<stored_segment>> rest;
    for (const auto& s : old) {
        const auto name = s->file().name();
        const auto file = _files.find(name);
        if (file == _files.end()) {
            co_await discard(std::move(merged));
            co_return base::fail(base::errc::table_not_found); // dropped in the meantime
        }
        auto& segments = rest.try_emplace(name, file->second.segments).first->second;
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
    auto segments = co_await commit(std::move(merged), std::move(edit));
    if (!segments) {
        co_return segments;
    }
    for (const auto& s : old) {
        // Gone when its table was dropped in the meantime.
        if (const auto file = _files.find(s->file().name()); file != _files.end()) {
            std::erase(file->second.segments, s->place());
            if (file->second.segments.empty()) {
                unlink(std::move(_files.extract(file).mapped()));
            }
        }
    }
    co_return segments;
}

void segment_store::forget(base::table_id table) {
    std::vector<std::string> empty;
    for (auto& [name, file] : _files) {
        std::erase_if(file.segments, [&](const stored_segment& s) { return s.table == table; });
        if (file.segments.empty()) {
            empty.push_back(name);
        }
    }
    for (auto& name : empty) {
        retire(std::move(name));
    }
}

void segment_store::unlink(live_file file) {
    _files_bytes -= file.bytes;
    file.file->doom();
}

// Whether the unlinking or the edit comes first does not matter: a listed file without a live table is looked for and forgotten.
void segment_store::retire(std::string name) {
    auto file = std::move(_files.extract(name).mapped());
    auto* const listed_in = file.listed_in;
    unlink(std::move(file));
    shard::run_in_background(_work, "taking a file out of the manifest", [name, listed_in] {
        return listed_in->apply(shard::files_edit{.removed = {name}}).then([name](base::expected<void> done) {
            if (!done) {
                logger.warn("{}: still in the manifest: {}", name, base::to_string(done.error()));
            }
        });
    });
}

} // namespace tables

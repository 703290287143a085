#include "blobs/blob_files.hh"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <ranges>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "blobs/logger.hh"
#include "shard/disk_error.hh"

namespace blobs {
namespace {

constexpr std::string_view suffix = ".blobs";
// Shards have three digits in names, and the last three of a counter.
constexpr uint64_t shards_max = 1'000;
// A longer list is read from the file itself: a manifest has a bound, too.
constexpr size_t facts_bytes_max = 4 << 10;
// Of an edit, which has a bound; the rest of it is for names.
constexpr size_t edit_facts_bytes_max = 768 << 10;
static_assert(8 * (blob_directory::list_bytes_target + source_bytes_max + 96) < edit_facts_bytes_max);
// A file whose blobs are of this size at least has nothing else in it.
constexpr uint64_t lone_blob_bytes = 256 << 10;
// What is not worth writing the rest of a file anew for.
constexpr uint64_t dead_bytes_min = 64 << 10;

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
    const auto [dash, status] = std::from_chars(name.data(), end, parts.shard);
    if (status != std::errc() || dash == end) {
        return std::nullopt;
    }
    std::from_chars(dash + 1, end, parts.number);
    return name == name_of(parts.shard, parts.number) ? std::optional(parts) : std::nullopt;
}

// Empty when it is too long to be noted.
std::string facts_of(const blob_directory& directory, size_t& edit_bytes) {
    std::string facts;
    directory.encode_list(facts);
    if (facts.size() > facts_bytes_max || edit_bytes + facts.size() > edit_facts_bytes_max) {
        return {};
    }
    edit_bytes += facts.size();
    return facts;
}

// Of a file that may have had more blobs than these.
seastar::future<uint64_t> size_of_file(shard::disk& disk, std::string name, const blob_directory& directory) {
    const auto end = directory.blobs.empty() ? 0 : directory.blobs.back().extent.end();
    if (directory.blobs.size() == 1 && directory.blobs.front().extent.offset == 0 && end >= lone_blob_bytes) {
        co_return end; // but for the list of it alone
    }
    try {
        auto file = co_await disk.open(path_of_file(name), shard::open_mode::read);
        const auto size = co_await file->size();
        co_await file->close();
        co_return size;
    } catch (const std::exception&) {
        co_return end; // who reads it will say what is wrong
    }
}

} // namespace

seastar::future<> blob_files::stop() {
    _files.clear();
    return _work.close();
}

// --- opening ---------------------------------------------------------------------------------------------------------------

seastar::future<base::expected<void>> blob_files::load(shard::disk& disk, shard::manifest& m, blob_sink sink) {
    if (auto removed = co_await remove_leftovers(disk, m); !removed) {
        co_return removed;
    }
    const auto files = m.state().files(shard::log_owner::records); // a copy: edits may come in between
    for (const auto& [name, facts] : files) {
        co_await load_file(disk, m, name, facts, sink);
    }
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> blob_files::remove_leftovers(shard::disk& disk, const shard::manifest& m) {
    const auto learn = [this](const name_parts& parts) {
        _last_numbers[parts.shard] = std::max(_last_numbers[parts.shard], parts.number);
    };
    const auto& listed = m.state().files(shard::log_owner::records);
    try {
        co_await disk.make_directory(blobs_folder);
        co_await disk.sync_directory("");
        const auto names = co_await disk.list(blobs_folder);
        for (const auto& name : names) {
            const auto parts = parse_name(name);
            if (!parts || parts->shard != m.shard()) {
                continue;
            }
            learn(*parts);
            if (!listed.contains(name) && !m.has_lost_edits()) {
                co_await disk.remove(path_of_file(name));
            }
        }
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, "the folder of the blobs"));
    }
    for (const auto& [name, facts] : listed) {
        if (const auto parts = parse_name(name)) {
            learn(*parts);
        }
    }
    co_return base::expected<void>();
}

seastar::future<> blob_files::load_file(shard::disk& disk, shard::manifest& m, std::string name, std::string facts,
                                        const blob_sink& sink) {
    auto directory = blob_directory::parse_list(facts);
    if (!directory) {
        directory = co_await read_directory(disk, name);
    }
    if (!directory) {
        logger.error("{}: its blobs cannot be found: {}", name, base::to_string(directory.error()));
        co_return;
    }
    const auto bytes = co_await size_of_file(disk, name, *directory);
    for (const auto& b : add(disk, m, std::move(name), *directory, bytes)) {
        sink(b);
    }
}

// --- running ---------------------------------------------------------------------------------------------------------------

// A manifest of a former shard has only one who writes to it, and so have the names that go with it.
blob_files::file_id blob_files::next_id(const shard::manifest& m) {
    const auto number = ++_last_numbers[m.shard()];
    return {name_of(m.shard(), number), number * shards_max + m.shard()};
}

const std::vector<blob_ptr>& blob_files::add(shard::disk& disk, shard::manifest& m, std::string name,
                                             const blob_directory& directory, uint64_t bytes) {
    live_file live{.file = seastar::make_lw_shared<blob_file>(disk, _work.hold(), name, &m), .blobs = {}, .bytes = bytes};
    for (const auto& b : directory.blobs) {
        live.blobs.push_back(seastar::make_lw_shared<const live_blob>(b, live.file));
        live.blobs_bytes += b.extent.size;
        live.list_bytes += blob_directory::entry_bytes(b);
    }
    _bytes += bytes;
    return _files.insert_or_assign(std::move(name), std::move(live)).first->second.blobs;
}

// What is left in the files of the replaced ones.
blob_files::file_rest blob_files::without(const std::vector<blob_ptr>& replaced) const {
    const std::set<const live_blob*> leaving(std::from_range, replaced | std::views::transform(&blob_ptr::get));
    file_rest rest;
    for (const auto& blob : replaced) {
        const auto [left, is_new] = rest.try_emplace(blob->file->name());
        if (is_new) {
            std::ranges::copy_if(blobs_in(left->first), std::back_inserter(left->second),
                                 [&](const blob_ptr& b) { return !leaving.contains(b.get()); });
        }
    }
    return rest;
}

void blob_files::drop(const file_rest& rest) {
    for (const auto& [name, blobs] : rest) {
        auto& live = _files.at(name);
        if (blobs.empty()) {
            _bytes -= live.bytes;
            live.file->doom(live.bytes);
            _files.erase(name);
            continue;
        }
        live.blobs = blobs;
        live.blobs_bytes = 0;
        live.list_bytes = 0;
        for (const auto& b : blobs) {
            live.blobs_bytes += b->facts.extent.size;
            live.list_bytes += blob_directory::entry_bytes(b->facts);
        }
    }
}

base::expected<shard::files_edit> blob_files::edit_of(const std::vector<written_file>& written, const file_rest& rest) {
    shard::files_edit edit{.owner = shard::log_owner::records};
    size_t edit_bytes = 0;
    for (const auto& [name, blobs] : rest) {
        if (blobs.empty()) {
            edit.removed.push_back(name);
            continue;
        }
        // Here the manifest alone knows what lives: the file still lists them all.
        blob_directory directory;
        std::ranges::transform(blobs, std::back_inserter(directory.blobs), [](const blob_ptr& b) { return b->facts; });
        std::string facts;
        directory.encode_list(facts);
        edit_bytes += facts.size();
        edit.added.push_back({name, std::move(facts)});
    }
    if (edit_bytes > edit_facts_bytes_max) {
        return base::fail(base::errc::busy, "too many files change at a time");
    }
    for (const auto& w : written) {
        edit.added.push_back({w.name, facts_of(w.directory, edit_bytes)});
    }
    return edit;
}

seastar::future<base::expected<std::vector<blob_ptr>>> blob_files::publish(shard::disk& disk, shard::manifest& m,
                                                                           std::vector<written_file> written, sealed marks,
                                                                           std::vector<blob_ptr> replaced) {
    const auto hold = _work.hold();
    const auto rest = without(replaced);
    auto edit = edit_of(written, rest);
    try {
        co_await disk.sync_directory(blobs_folder);
    } catch (const std::exception& e) {
        edit = std::unexpected(shard::error_of(e, blobs_folder));
    }
    if (!edit) {
        co_await remove(disk, std::move(written));
        co_return std::unexpected(edit.error());
    }
    edit->flushed = marks.flushed;
    edit->lanes = std::move(marks.lanes);
    if (auto done = co_await m.apply(std::move(*edit)); !done) {
        // After an I/O error the edit may be in the manifest all the same, so the files have to stay.
        if (done.error().code != base::errc::io_error) {
            co_await remove(disk, std::move(written));
        }
        co_return std::unexpected(done.error());
    }
    drop(rest);
    std::vector<blob_ptr> blobs;
    for (auto& w : written) {
        std::ranges::copy(add(disk, m, w.name, w.directory, w.bytes), std::back_inserter(blobs));
    }
    co_return blobs;
}

seastar::future<> blob_files::remove(shard::disk& disk, std::vector<written_file> files) {
    for (const auto& f : files) {
        try {
            co_await disk.remove(path_of_file(f.name));
        } catch (const std::exception& e) {
            logger.warn("{}: cannot be removed, the next start will: {}", f.name, e.what());
        }
    }
}

// --- what to change at a time ----------------------------------------------------------------------------------------------

std::vector<std::string> blob_files::sparse() const {
    std::vector<std::string> names;
    for (const auto& [name, file] : _files) {
        const auto live_bytes = file.blobs_bytes + file.list_bytes;
        if (2 * live_bytes < file.bytes && live_bytes + dead_bytes_min <= file.bytes) {
            names.push_back(name);
        }
    }
    return names;
}

std::vector<std::vector<blob_ptr>> blob_files::portions(const std::vector<blob_ptr>& all) const {
    std::vector<std::vector<blob_ptr>> found;
    leaving_blobs leaving(*this);
    for (const auto& b : all) {
        leaving.add({b});
        if (found.empty() || !leaving.fit()) {
            found.emplace_back();
            leaving = leaving_blobs(*this);
            leaving.add({b});
        }
        found.back().push_back(b);
    }
    return found;
}

void leaving_blobs::add(const std::vector<blob_ptr>& blobs) {
    for (const auto& b : blobs) {
        if (_touched.insert(b->file->name()).second) {
            _list_bytes += _from->_files.at(b->file->name()).list_bytes + sizeof(uint64_t); // with their number
        }
        _list_bytes -= blob_directory::entry_bytes(b->facts);
    }
}

bool leaving_blobs::fit() const {
    return _list_bytes <= edit_facts_bytes_max;
}

} // namespace blobs

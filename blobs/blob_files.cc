#include "blobs/blob_files.hh"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/util/log.hh>

#include "shard/disk_error.hh"

namespace blobs {
namespace {

seastar::logger logger("blob_files");

constexpr std::string_view suffix = ".blobs";
// Shards have three digits in names, and the last three of a counter.
constexpr uint64_t shards_max = 1'000;
// Of an edit, which has a bound: a longer list is read from the file itself.
constexpr size_t facts_bytes_max = 64 << 10;
constexpr size_t edit_facts_bytes_max = 768 << 10;

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

uint64_t bytes_of(const blob_directory& directory) {
    uint64_t sum = 0;
    for (const auto& b : directory.blobs) {
        sum += b.extent.size;
    }
    return sum;
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
    const auto file = seastar::make_lw_shared<blob_file>(disk, _work.hold(), name, &m);
    for (const auto& b : directory->blobs) {
        sink(seastar::make_lw_shared<const live_blob>(b, file));
    }
    _bytes += bytes_of(*directory);
    _files.insert_or_assign(std::move(name), live_file{file, std::move(*directory)});
}

// --- running ---------------------------------------------------------------------------------------------------------------

// A manifest of a former shard has only one who writes to it, and so have the names that go with it.
blob_files::file_id blob_files::next_id(const shard::manifest& m) {
    const auto number = ++_last_numbers[m.shard()];
    return {name_of(m.shard(), number), number * shards_max + m.shard()};
}

// What is left in the files of the replaced ones.
std::map<std::string, blob_directory> blob_files::without(const std::vector<blob_ptr>& replaced) const {
    std::map<std::string, blob_directory> rest;
    for (const auto& blob : replaced) {
        const auto& name = blob->file->name();
        auto& directory = rest.try_emplace(name, _files.at(name).directory).first->second;
        std::erase(directory.blobs, blob->facts);
    }
    return rest;
}

void blob_files::drop(const std::map<std::string, blob_directory>& rest) {
    for (const auto& [name, directory] : rest) {
        auto& live = _files.at(name);
        _bytes -= bytes_of(live.directory) - bytes_of(directory);
        live.directory = directory;
        if (directory.blobs.empty()) {
            live.file->doom();
            _files.erase(name);
        }
    }
}

std::vector<blob_ptr> blob_files::adopt(shard::disk& disk, shard::manifest& m, std::vector<written_file> written) {
    std::vector<blob_ptr> blobs;
    for (auto& w : written) {
        const auto file = seastar::make_lw_shared<blob_file>(disk, _work.hold(), w.name, &m);
        for (const auto& b : w.directory.blobs) {
            blobs.push_back(seastar::make_lw_shared<const live_blob>(b, file));
        }
        _bytes += bytes_of(w.directory);
        _files.insert_or_assign(w.name, live_file{file, std::move(w.directory)});
    }
    return blobs;
}

seastar::future<base::expected<std::vector<blob_ptr>>> blob_files::publish(shard::disk& disk, shard::manifest& m,
                                                                           std::vector<written_file> written,
                                                                           shard::flushed_mark flushed,
                                                                           std::vector<blob_ptr> replaced) {
    const auto hold = _work.hold();
    try {
        co_await disk.sync_directory(blobs_folder);
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, blobs_folder));
    }
    const auto rest = without(replaced);
    shard::files_edit edit{.owner = shard::log_owner::records, .flushed = flushed};
    size_t edit_bytes = 0;
    for (const auto& [name, directory] : rest) {
        if (directory.blobs.empty()) {
            edit.removed.push_back(name);
            continue;
        }
        // Here the manifest alone knows what lives: the file still lists them all.
        std::string facts;
        directory.encode_list(facts);
        edit_bytes += facts.size();
        edit.added.push_back({name, std::move(facts)});
    }
    if (edit_bytes > edit_facts_bytes_max) {
        co_return base::fail(base::errc::busy, "too many files change at a time");
    }
    for (const auto& w : written) {
        edit.added.push_back({w.name, facts_of(w.directory, edit_bytes)});
    }
    if (auto done = co_await m.apply(std::move(edit)); !done) {
        co_return std::unexpected(done.error());
    }
    drop(rest);
    co_return adopt(disk, m, std::move(written));
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

} // namespace blobs

#include "shard/wal_replay.hh"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <tuple>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "shard/disk_error.hh"
#include "shard/logger.hh"
#include "shard/wal_files.hh"

namespace shard {
namespace {

using state = log_file_info::state;

constexpr char unreadable_filler = '\xff'; // not blank, and no header

struct file_head {
    uint64_t size_bytes = 0;
    std::string copies; // both of the header; one that the disk cannot read is as good as damaged
};

seastar::future<std::string> read_header_copies(file& f) {
    std::string copies;
    for (size_t at = 0; at < wal_head_bytes; at += wal_block_bytes) {
        try {
            const auto block = co_await f.read(at, wal_block_bytes);
            copies.append(block.get(), block.size());
        } catch (const std::system_error&) {
            copies.append(wal_block_bytes, unreadable_filler);
        }
    }
    copies.resize(wal_head_bytes); // a power cut can leave a file that was being made ahead shorter than that
    co_return copies;
}

seastar::future<file_head> read_head(disk& d, std::string path) {
    auto f = co_await d.open(path, open_mode::read);
    file_head head;
    std::exception_ptr failure;
    try {
        head.size_bytes = co_await f->size();
        head.copies = co_await read_header_copies(*f);
    } catch (...) {
        failure = std::current_exception();
    }
    co_await f->close();
    if (failure) {
        std::rethrow_exception(failure);
    }
    co_return head;
}

bool is_blank(std::string_view block) {
    return std::ranges::all_of(block, [](char c) { return c == '\0'; });
}

// What the two copies of the header say about the file of this name.
base::expected<void> classify(log_file_info& info, std::string_view head, uint64_t store) {
    size_t bad_copies = 0;
    for (size_t at = 0; at < wal_head_bytes; at += wal_block_bytes) {
        const auto block = head.substr(at, wal_block_bytes);
        const auto header = decode_file_header(block);
        if (!header && header.error().code == base::errc::newer_format) {
            return base::fail(base::errc::newer_format, info.name + ": " + header.error().detail);
        }
        bad_copies += !header && !is_blank(block);
        // A recycled file carries the header of its former life until it is used.
        if (header && header->id.shard == info.id.shard && header->id.number == info.id.number) {
            info.header = *header;
        }
    }
    if (!info.header) {
        info.is = bad_copies > 0 ? state::headless : state::unused;
    } else if (info.header->id.store != store) {
        info.is = state::foreign;
    } else {
        info.is = state::used;
        info.id = info.header->id;
        info.has_bad_copy = head.substr(0, wal_block_bytes) != head.substr(wal_block_bytes);
    }
    return {};
}

// Files sorted by shard and number: what can be known of those without a header.
void infer_epochs(std::vector<log_file_info>& files) {
    for (auto& file : files) {
        const auto continues_it = [&](const log_file_info& other) {
            return other.is == state::used && other.id.shard == file.id.shard && other.header->previous_number == file.id.number;
        };
        if (file.is == state::unused && std::ranges::any_of(files, continues_it)) {
            file.is = state::headless; // it was used: another file goes on where it ended
        }
    }
    const auto adopt = [](log_file_info& file, const log_file_info& neighbour) {
        if (file.is == state::headless && file.id.epoch == 0 && file.id.shard == neighbour.id.shard) {
            file.id.epoch = neighbour.id.epoch;
        }
    };
    // The file before it, since a log goes on where it was; the file behind it where there is none.
    for (size_t i = 1; i < files.size(); ++i) {
        adopt(files[i], files[i - 1]);
    }
    for (size_t i = files.size(); i-- > 1;) {
        adopt(files[i - 1], files[i]);
    }
}

// Reads what a wal_reader wants, one open file at a time. Never fails: what cannot be read comes back as zeros, and the gap in
// the sequences tells what was lost.
class log_bytes {
public:
    log_bytes(disk& d, const std::vector<log_file_info>& files) : _disk(d), _files(files) {}

    seastar::future<seastar::temporary_buffer<char>> read(wal_bytes_wanted wanted) {
        co_await open(wanted.from.file);
        if (!_open) {
            co_return unreadable(wanted.bytes);
        }
        try {
            co_return co_await _open->read(wanted.from.position, wanted.bytes);
        } catch (const std::system_error& e) { // and nothing else: what memory has no room for is not damaged
            logger.error("{}: {}", _files[wanted.from.file].name, e.what());
        }
        co_return co_await read_block_by_block(wanted);
    }

    seastar::future<> close() {
        if (auto f = std::exchange(_open, nullptr)) {
            co_await f->close();
        }
    }

    uint64_t unreadable_bytes() const { return _unreadable_bytes; }

private:
    seastar::future<> open(size_t file) {
        if (_opened_index == file) {
            co_return;
        }
        co_await close();
        _opened_index = file;
        try {
            _open = co_await _disk.open(wal_path(_files[file].name), open_mode::read);
            // The server may have died without the machine: what it wrote and did not flush can be read now, and must not
            // vanish after it was.
            co_await _open->flush();
        } catch (const std::system_error& e) {
            logger.error("{}: {}", _files[file].name, e.what());
        }
    }

    seastar::future<seastar::temporary_buffer<char>> read_block_by_block(wal_bytes_wanted wanted) {
        seastar::temporary_buffer<char> all(wanted.bytes);
        for (size_t at = 0; at < wanted.bytes; at += wal_block_bytes) {
            const auto length = std::min(wal_block_bytes, wanted.bytes - at);
            seastar::temporary_buffer<char> block;
            try {
                block = co_await _open->read(wanted.from.position + at, length);
            } catch (const std::system_error&) {
                block = unreadable(length);
            }
            std::memcpy(all.get_write() + at, block.get(), block.size());
            if (block.size() < length) {
                all.trim(at + block.size());
                break;
            }
        }
        co_return all;
    }

    seastar::temporary_buffer<char> unreadable(size_t length) {
        seastar::temporary_buffer<char> zeros(length);
        std::memset(zeros.get_write(), 0, length);
        _unreadable_bytes += length;
        return zeros;
    }

    disk& _disk;
    const std::vector<log_file_info>& _files;
    file_ptr _open;
    std::optional<size_t> _opened_index;
    uint64_t _unreadable_bytes = 0;
};

log_damage describe(const wal_damage& damage, const std::vector<log_file_info>& files) {
    return {.begin_file = files[damage.begin.file].name,
            .end_file = files[damage.end.file].name,
            .begin = damage.begin.position,
            .end = damage.end.position,
            .first = damage.first,
            .last = damage.last};
}

seastar::future<read_report> read_steps(const std::vector<log_file_info>& files, log_bytes& bytes, log_consumer& consume) {
    std::vector<wal_source> sources;
    for (const auto& file : files) {
        sources.push_back({.id = file.id, .size_bytes = file.size_bytes, .header = file.header});
    }
    wal_reader reader(std::move(sources));
    read_report report;
    while (true) {
        const auto step = reader.next();
        if (const auto* wanted = std::get_if<wal_bytes_wanted>(&step)) {
            const auto read = co_await bytes.read(*wanted);
            reader.feed({read.get(), read.size()});
        } else if (const auto* record = std::get_if<wal_record>(&step)) {
            ++report.records_count;
            report.payload_bytes += record->payload.size();
            co_await consume(*record);
            co_await seastar::coroutine::maybe_yield();
        } else if (const auto* damage = std::get_if<wal_damage>(&step)) {
            report.damages.push_back(describe(*damage, files));
        } else {
            const auto& end = std::get<wal_end>(step);
            report.end = end.why;
            report.next = end.next;
            report.unreadable_bytes = bytes.unreadable_bytes();
            co_return report;
        }
    }
}

} // namespace

seastar::future<base::expected<std::vector<log_file_info>>> list_logs(disk& d, uint64_t store) {
    std::vector<log_file_info> files;
    try {
        if (!co_await d.exists(wal_folder)) {
            co_return files;
        }
        const auto names = co_await d.list(wal_folder);
        for (const auto& name : names) {
            const auto parts = parse_wal_file_name(name);
            if (!parts) {
                continue;
            }
            log_file_info info{.name = name, .id = {.store = store, .shard = parts->shard, .number = parts->number}};
            const auto head = co_await read_head(d, wal_path(name));
            info.size_bytes = head.size_bytes;
            if (auto known = classify(info, head.copies, store); !known) {
                co_return std::unexpected(std::move(known.error()));
            }
            files.push_back(std::move(info));
        }
    } catch (const std::exception& e) {
        co_return std::unexpected(error_of(e, "the list of log files"));
    }
    infer_epochs(files); // names sort by shard and number
    std::ranges::stable_sort(files, {}, [](const log_file_info& f) { return std::tuple(f.id.epoch, f.id.shard, f.id.number); });
    co_return files;
}

seastar::future<read_report> read_log(disk& d, std::vector<log_file_info> files, log_consumer consume) {
    std::erase_if(files, [](const auto& file) { return file.is == state::unused || file.is == state::foreign; });
    if (files.empty()) {
        co_return read_report{.end = wal_end::reason::open};
    }
    log_bytes bytes(d, files);
    read_report report;
    std::exception_ptr failure;
    try {
        report = co_await read_steps(files, bytes, consume);
    } catch (...) {
        failure = std::current_exception();
    }
    co_await bytes.close();
    if (failure) {
        std::rethrow_exception(failure);
    }
    co_return report;
}

seastar::future<base::expected<void>> remove_log(disk& d, std::string name) {
    try {
        co_await d.remove(wal_path(name));
        co_await d.sync_directory(wal_folder);
    } catch (const std::system_error& e) {
        if (e.code().value() != ENOENT) {
            co_return std::unexpected(error_of(e, name));
        }
    }
    co_return base::expected<void>();
}

} // namespace shard

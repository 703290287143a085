#include "shard/core/wal_reader.hh"

#include <algorithm>
#include <utility>

#include "base/planted.hh"

namespace shard {
namespace {

constexpr size_t step_bytes = 128 << 10;

} // namespace

wal_reader::wal_reader(std::vector<wal_source> files)
    : _files(std::move(files)), _main(open(0, wal_head_bytes, wal_scanner::payloads::check)), _good_end{0, wal_head_bytes} {
    if (const auto& header = _files.front().header) {
        _expected = header->first;
    }
    for (const auto& file : _files) {
        if (file.header && file.header->first.value > 0) {
            _durable = std::max(_durable, base::sequence{file.header->first.value - 1});
        }
    }
}

wal_step wal_reader::next() {
    while (!_end) {
        const auto step = _ahead ? look_ahead() : _record ? judge() : look_for_record();
        if (step) {
            return *step;
        }
    }
    return *_end;
}

void wal_reader::feed(std::string_view bytes) {
    auto& scanner = (_ahead ? *_ahead : _main).scanner;
    scanner.feed(bytes);
    if (bytes.size() < _wanted_bytes) {
        scanner.finish();
    }
}

wal_reader::cursor wal_reader::open(size_t file, uint64_t begin, wal_scanner::payloads payloads) const {
    return {file, wal_scanner(_files[file].id.seed(), begin, end_of(file), payloads)};
}

// The file that continues a log says where its predecessor ends; what lies beyond was never part of it.
uint64_t wal_reader::end_of(size_t file) const {
    const auto& source = _files[file];
    for (size_t later = file + 1; later < _files.size(); ++later) {
        const auto& header = _files[later].header;
        if (header && header->previous_number == source.id.number) {
            return std::min(source.size_bytes, header->previous_end);
        }
    }
    return source.size_bytes;
}

wal_bytes_wanted wal_reader::want(const cursor& at) {
    const auto from = at.scanner.wanted();
    _wanted_bytes = std::min<uint64_t>(step_bytes, end_of(at.file) - from);
    return {{at.file, from}, _wanted_bytes};
}

std::optional<wal_step> wal_reader::look_for_record() {
    while (const auto found = _main.scanner.next()) {
        _durable = std::max(_durable, found->header.durable);
        if (_expected.value == 0) {
            // The header is lost. At least the records of the same group that should have come before this one are missed.
            _expected.value = found->header.durable.value + 1;
        }
        if (found->is_intact && found->header.first >= _expected) {
            _record = found;
            return std::nullopt;
        }
    }
    if (!_main.scanner.is_done()) {
        return want(_main);
    }
    if (_main.file + 1 == _files.size()) {
        return finish(wal_end::reason::open, {_main.file, end_of(_main.file)});
    }
    _main = open(_main.file + 1, wal_head_bytes, wal_scanner::payloads::check);
    return std::nullopt;
}

std::optional<wal_step> wal_reader::judge() {
    if (_record->header.first == _expected) {
        return deliver();
    }
    const base::sequence last_missing{_record->header.first.value - 1};
    const wal_place here{_main.file, _record->position};
    if (base::planted(base::bug::silent_end_of_replay)) {
        return *(_end = {wal_end::reason::open, _good_end, _expected});
    }
    if (_durable >= last_missing) {
        return report_damage(last_missing, here);
    }
    if (!_has_looked_ahead) {
        _ahead = open(_main.file, _record->end(), wal_scanner::payloads::skip);
        return std::nullopt;
    }
    return finish(wal_end::reason::torn, here);
}

// Only headers are read, and only until what is missing is known to have been durable.
std::optional<wal_step> wal_reader::look_ahead() {
    while (const auto found = _ahead->scanner.next()) {
        _durable = std::max(_durable, found->header.durable);
        if (_durable.value + 1 >= _record->header.first.value) {
            _ahead.reset();
            return std::nullopt;
        }
    }
    if (!_ahead->scanner.is_done()) {
        return want(*_ahead);
    }
    if (const auto later = _ahead->file + 1; later < _files.size()) {
        _ahead = open(later, wal_head_bytes, wal_scanner::payloads::skip);
    } else {
        _ahead.reset();
        _has_looked_ahead = true;
    }
    return std::nullopt;
}

wal_step wal_reader::deliver() {
    const auto record = *std::exchange(_record, std::nullopt);
    const wal_place place{_main.file, record.position};
    _expected = record.header.next();
    _good_end = {_main.file, record.end()};
    if (record.header.kind == record_kind::end_mark) {
        return *(_end = {wal_end::reason::closed, _good_end, _expected});
    }
    return wal_record{place, record.header.first, record.header.sequences_count, record.header.kind, record.payload};
}

std::optional<wal_step> wal_reader::report_damage(base::sequence last, wal_place end) {
    const wal_damage damage{.begin = _good_end, .end = end, .first = _expected, .last = last};
    _expected.value = last.value + 1;
    return damage;
}

// Nothing more is delivered. What was durable and is still missing is damage, up to `hole_end`.
std::optional<wal_step> wal_reader::finish(wal_end::reason why, wal_place hole_end) {
    const auto place = _good_end;
    std::optional<wal_step> damage;
    if (_expected.value > 0 && _durable >= _expected) {
        damage = report_damage(_durable, hole_end);
    }
    _end = {why, place, _expected};
    return damage;
}

} // namespace shard

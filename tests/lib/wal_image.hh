// Logs made by hand: the bytes of its files, written group by group as shard::wal would, and read back whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shard/core/wal_reader.hh"
#include "shard/core/wal_record.hh"

namespace testing_lib {

struct wal_read {
    struct record {
        uint64_t first = 0;
        uint32_t sequences_count = 0;
        std::string payload;
        bool operator==(const record&) const = default;
    };
    std::vector<record> records;
    std::vector<shard::wal_damage> damages;
    shard::wal_end end;
};

class wal_image {
public:
    explicit wal_image(uint64_t first = 1) : _next(first), _durable(first - 1) {}

    // What was appended so far is durable; the records to come are in this file.
    void begin_file(uint64_t number) {
        shard::wal_file_header header{.id = {.store = 7, .epoch = 3, .shard = 1, .number = number}, .first = {_next}};
        if (!_sources.empty()) {
            header.previous_number = _sources.back().id.number;
            header.previous_end = _files.back().size();
        }
        _files.emplace_back(shard::wal_head_bytes, '\0');
        shard::encode_file_header(header, _files.back().data());
        _sources.push_back({.id = header.id, .header = header});
        _durable = _next - 1;
    }

    void append(std::string_view payload, uint32_t sequences_count = 1, shard::record_kind kind = shard::record_kind{1}) {
        auto& bytes = _files.back();
        bytes.resize(shard::wal_align(bytes.size(), shard::wal_record_alignment));
        const shard::wal_record_header header{
            .payload_bytes = static_cast<uint32_t>(payload.size()),
            .sequences_count = sequences_count,
            .payload_checksum = shard::wal_payload_checksum(std::span(&payload, 1)),
            .first = {_next},
            .durable = {_durable},
            .kind = kind,
        };
        const auto head = shard::encode_record_header(header, _sources.back().id.seed(), bytes.size());
        bytes.append(head.data(), head.size()).append(payload);
        if (kind != shard::record_kind::end_mark) {
            _records.push_back({_next, sequences_count, std::string(payload)});
        }
        _next += sequences_count;
    }

    // The group is on stable storage; the next record begins another.
    void flush() {
        _files.back().resize(shard::wal_align(_files.back().size(), shard::wal_block_bytes));
        _durable = _next - 1;
    }

    std::string& file(size_t index = 0) { return _files[index]; }
    std::vector<shard::wal_source>& sources() { return _sources; }
    const std::vector<wal_read::record>& records() const { return _records; }

    wal_read read() const {
        auto sources = _sources;
        for (size_t i = 0; i < sources.size(); ++i) {
            sources[i].size_bytes = _files[i].size();
        }
        shard::wal_reader reader(std::move(sources));
        wal_read result;
        while (true) {
            const auto step = reader.next();
            if (const auto* wanted = std::get_if<shard::wal_bytes_wanted>(&step)) {
                reader.feed(std::string_view(_files[wanted->from.file]).substr(wanted->from.position, wanted->bytes));
            } else if (const auto* record = std::get_if<shard::wal_record>(&step)) {
                result.records.push_back({record->first.value, record->sequences_count, std::string(record->payload)});
            } else if (const auto* damage = std::get_if<shard::wal_damage>(&step)) {
                result.damages.push_back(*damage);
            } else {
                result.end = std::get<shard::wal_end>(step);
                return result;
            }
        }
    }

private:
    std::vector<std::string> _files;
    std::vector<shard::wal_source> _sources;
    std::vector<wal_read::record> _records;
    uint64_t _next, _durable;
};

} // namespace testing_lib

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/ticks.hh"
#include "blobs/core/record_batch.hh"
#include "cli/inspect.hh"
#include "shard/core/wal_reader.hh"
#include "tables/core/key.hh"
#include "tables/core/row_batch.hh"

namespace cli {
namespace {

std::optional<shard::wal_file_header> header_of(std::string_view content) {
    for (size_t copy = 0; copy < 2 && content.size() >= (copy + 1) * shard::wal_block_bytes; ++copy) {
        if (auto header = shard::decode_file_header(content.substr(copy * shard::wal_block_bytes, shard::wal_block_bytes))) {
            return *header;
        }
    }
    return std::nullopt;
}

std::string_view name_of(tables::row_kind kind) {
    switch (kind) {
    case tables::row_kind::put: return "put";
    case tables::row_kind::merge: return "merge";
    case tables::row_kind::remove: return "remove";
    }
    return "?";
}

bool print_log_records(const shard::wal_record& record, bool prints_rows) {
    blobs::zstd_decompressor zstd;
    std::string scratch;
    std::map<std::string, uint64_t> counts; // by source
    std::string texts;
    const auto read =
        blobs::read_batch(record.payload, zstd, scratch, [&](std::string_view source, const blobs::record& r, std::string_view) {
            ++counts[std::string(source)];
            if (prints_rows) {
                texts += fmt::format("{:>14}source '{}' {}: {}\n", "", source, r.order.time_ns, r.text);
            }
        });
    if (!read) {
        fmt::print("{:>12}  sequence {}: {}\n", record.place.position, record.first.value, base::to_string(read.error()));
        return false;
    }
    fmt::print("{:>12}  sequence {} to {}: log records, {} bytes:", record.place.position, record.first.value,
               record.first.value + record.sequences_count - 1, record.payload.size());
    for (const auto& [source, count] : counts) {
        fmt::print(" {} of '{}'", count, source);
    }
    fmt::print("\n{}", texts);
    return true;
}

bool print_record(const shard::wal_record& record, bool prints_rows) {
    if (record.kind == shard::record_kind::end_mark) {
        fmt::print("{:>12}  end mark: an orderly stop\n", record.place.position);
        return true;
    }
    if (record.kind == shard::record_kind{blobs::batch_record_kind}) {
        return print_log_records(record, prints_rows);
    }
    const auto rows = tables::row_batch_reader::open(record.payload);
    if (!rows) {
        fmt::print("{:>12}  sequence {}: {}\n", record.place.position, record.first.value, base::to_string(rows.error()));
        return false;
    }
    fmt::print("{:>12}  sequence {} to {}: {} row(s) of table {}, {} bytes, {}\n", record.place.position, record.first.value,
               record.first.value + record.sequences_count - 1, rows->rows_count(), rows->table().value, record.payload.size(),
               base::to_text(rows->timestamp()));
    if (prints_rows) {
        for (const auto& row : *rows) {
            fmt::print("{:>14}{} PartitionKey '{}' RowKey '{}', {} properties\n", "", name_of(row.kind),
                       tables::uncollate(row.partition_key), tables::uncollate(row.row_key), row.row.size());
        }
    }
    return true;
}

std::string_view reason_text(shard::wal_end::reason why) {
    switch (why) {
    case shard::wal_end::reason::closed: return "closed in order";
    case shard::wal_end::reason::open: return "no more records";
    case shard::wal_end::reason::torn: return "ends in a hole that no flush had covered";
    }
    return "?";
}

} // namespace

verdict inspect_log(const inspected_file& file) {
    const auto header = header_of(file.content);
    if (!header) {
        return verdict::other_kind;
    }
    fmt::print("log: store {:016x}, epoch {}, shard {}, number {}, first sequence {}\n", header->id.store, header->id.epoch,
               header->id.shard, header->id.number, header->first.value);
    shard::wal_reader reader({{header->id, file.content.size(), header}});
    bool is_sound = true;
    for (;;) {
        const auto step = reader.next();
        if (const auto* wanted = std::get_if<shard::wal_bytes_wanted>(&step)) {
            const auto from = std::min<size_t>(wanted->from.position, file.content.size());
            reader.feed(std::string_view(file.content).substr(from, wanted->bytes));
        } else if (const auto* record = std::get_if<shard::wal_record>(&step)) {
            is_sound &= print_record(*record, file.prints_rows);
        } else if (const auto* damage = std::get_if<shard::wal_damage>(&step)) {
            fmt::print("{:>12}  DAMAGE up to {}: sequences {} to {} were durable and cannot be read\n", damage->begin.position,
                       damage->end.position, damage->first.value, damage->last.value);
            is_sound = false;
        } else {
            const auto& end = std::get<shard::wal_end>(step);
            fmt::print("{:>12}  {}\n", end.place.position, reason_text(end.why));
            return is_sound ? verdict::sound : verdict::damaged;
        }
    }
}

} // namespace cli

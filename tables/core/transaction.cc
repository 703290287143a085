#include "tables/core/transaction.hh"

#include <algorithm>

#include <fmt/format.h>

#include "tables/core/limits.hh"
#include "tables/core/unicode.hh"

namespace tables {
namespace {

using base::errc;

std::unexpected<transaction_failure> fail_at(uint32_t index, errc code, std::string detail = {}) {
    return std::unexpected(transaction_failure{{code, std::move(detail)}, index});
}

bool must_exist(operation_kind kind) {
    return kind == operation_kind::replace || kind == operation_kind::merge || kind == operation_kind::remove;
}

std::expected<void, errc> check_condition(const operation& op, const std::optional<current_entity>& current) {
    if (op.kind == operation_kind::insert && current) {
        return std::unexpected(errc::entity_exists);
    }
    if (must_exist(op.kind) && !current) {
        return std::unexpected(errc::entity_not_found);
    }
    if (op.if_match && (!current || current->timestamp != *op.if_match)) {
        return std::unexpected(current ? errc::condition_not_met : errc::entity_not_found);
    }
    return {};
}

// Both are sorted by name; where both have a property, the newer one's counts.
std::vector<property> merged_properties(const row_view& older, const row_view& newer) {
    std::vector<property> result;
    result.reserve(older.size() + newer.size());
    size_t o = 0;
    size_t n = 0;
    while (o < older.size() || n < newer.size()) {
        const bool take_older = n == newer.size() || (o < older.size() && older[o].name < newer[n].name);
        if (!take_older && o < older.size() && older[o].name == newer[n].name) {
            ++o;
        }
        result.push_back(take_older ? older[o++] : newer[n++]);
    }
    return result;
}

std::expected<void, transaction_failure> check_merged(uint32_t index, const batch_row& row,
                                                      std::span<const property> properties) {
    if (properties.size() > properties_max) {
        return fail_at(index, errc::too_many_properties, fmt::format("the merged entity would have {}", properties.size()));
    }
    // Collation changes no length, in bytes or in units.
    const size_t key_units = utf16_length(uncollate(row.partition_key)) + utf16_length(uncollate(row.row_key));
    if (const auto bytes = entity_bytes(key_units, properties); bytes > entity_bytes_max) {
        return fail_at(index, errc::entity_too_large, fmt::format("the merged entity would have {} bytes", bytes));
    }
    return {};
}

// Rows of a transaction as they are written; becomes a batch of its own with the first row that must be merged.
class rewriter {
public:
    explicit rewriter(const row_batch_reader& rows) : _rows(rows) {}

    std::expected<void, transaction_failure> merge(uint32_t index, const batch_row& row, const row_view& older) {
        if (!_builder) {
            copy_rows_before(index);
        }
        const auto properties = merged_properties(older, row.row);
        if (auto fits = check_merged(index, row, properties); !fits) {
            return fits;
        }
        if (_whole_bytes + packed_bytes(properties) > whole_rows_bytes_max) {
            _builder->add_row(row_kind::merge, row.partition_key, row.row_key, row.row);
            return {};
        }
        const auto before = _builder->bytes().size();
        _builder->add_put(row.partition_key, row.row_key, properties);
        _whole_bytes += _builder->bytes().size() - before;
        return {};
    }
    void keep(const batch_row& row) {
        if (_builder) {
            _builder->add_row(row.kind, row.partition_key, row.row_key, row.row);
        }
    }
    std::optional<std::string> take() { return _builder ? std::optional(_builder->take()) : std::nullopt; }

private:
    void copy_rows_before(uint32_t index) {
        _builder.emplace(_rows.table());
        for (auto it = _rows.begin(); index > 0; ++it, --index) {
            keep(*it);
        }
    }

    const row_batch_reader& _rows;
    std::optional<row_batch_builder> _builder;
    size_t _whole_bytes = 0; // of merged rows
};

} // namespace

std::expected<void, transaction_failure> check_transaction(const row_batch_reader& rows, std::span<const operation> operations) {
    if (operations.empty() || rows.rows_count() != operations.size()) {
        return fail_at(0, errc::transaction_empty, "a transaction has at least one operation, and a row for each");
    }
    if (operations.size() > operations_max) {
        return fail_at(operations_max - 1, errc::transaction_too_long,
                       fmt::format("{} operations; at most {} are allowed", operations.size(), operations_max));
    }
    if (rows.bytes().size() > transaction_bytes_max) {
        return fail_at(0, errc::transaction_too_large, fmt::format("{} bytes", rows.bytes().size()));
    }
    std::vector<std::string_view> seen;
    uint32_t index = 0;
    for (const auto& row : rows) {
        if (row.partition_key != rows.begin()->partition_key) {
            return fail_at(index, errc::transaction_partitions);
        }
        if (std::ranges::find(seen, row.row_key) != seen.end()) {
            return fail_at(index, errc::transaction_duplicate_row);
        }
        const auto fitting = operations[index].kind == operation_kind::remove ? row_kind::remove : row_kind::put;
        if (row.kind != fitting) {
            return fail_at(index, errc::invalid_argument, "the row does not fit its operation");
        }
        seen.push_back(row.row_key);
        ++index;
    }
    return {};
}

std::expected<std::optional<std::string>, transaction_failure>
decide(const row_batch_reader& rows, std::span<const operation> operations, const entity_lookup& find) {
    rewriter result(rows);
    uint32_t index = 0;
    for (const auto& row : rows) {
        const auto& op = operations[index];
        const auto current = needs_current(op) ? find(row.partition_key, row.row_key) : std::nullopt;
        if (auto holds = check_condition(op, current); !holds) {
            return fail_at(index, holds.error());
        }
        if (needs_current_row(op) && current) {
            if (auto merged = result.merge(index, row, current->row); !merged) {
                return std::unexpected(merged.error());
            }
        } else {
            result.keep(row);
        }
        ++index;
    }
    return result.take();
}

} // namespace tables

#include "query/partitions.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>

#include "ingest/core/spread.hh"
#include "query/core/native/row_matcher.hh"
#include "tables/core/key.hh"

namespace query {
namespace {

// Rows a jump brings back: where partitions are large it ends early, where they are small many are met at once.
constexpr size_t jump_rows_min = 16;
constexpr size_t jump_rows_max = 1024;
// Besides the first row of each partition, every so many, so that a jump into a large one comes to its end.
constexpr unsigned rows_per_mark = 16;

class marker final : public tables::row_predicate {
public:
    bool matches(const tables::entity_view& entity) override {
        if (_rows == 0 || entity.partition_key != _partition_key) {
            _partition_key = entity.partition_key;
            _rows = 0;
        }
        return _rows++ % rows_per_mark == 0;
    }

private:
    std::string _partition_key;
    unsigned _rows = 0; // of it, so far
};

class marker_source final : public tables::predicate_source {
public:
    std::unique_ptr<tables::row_predicate> make() const override { return std::make_unique<marker>(); }
};

// The partitions that `partition=` names: a series over all its buckets, or the one of a plain table.
partitions_by_shard named_partitions(tables::engine& engine, const table_part& part, const std::string& name) {
    partitions_by_shard found(seastar::smp::count);
    for (unsigned bucket = 0; bucket < part.spread; ++bucket) {
        auto key = name;
        if (part.spread > 1) {
            ingest::append_spread_suffix(bucket, key);
        }
        key = tables::collate(key);
        found[engine.owner_of(key)].push_back(std::move(key));
    }
    return found;
}

} // namespace

seastar::future<result<void>> visit_partitions(tables::engine& engine, partition_walk walk, control& watch,
                                               partition_visitor visit) {
    const marker_source marks;
    size_t jump_rows = jump_rows_min;
    std::string last;
    bool has_last = false;
    for (tables::entity_key from{walk.from, {}};;) {
        tables::scan_request request{.table = walk.table,
                                     .ranges = {{from, std::nullopt}},
                                     .predicate = &marks,
                                     .rows_max = jump_rows,
                                     .deadline = watch.slice_end()};
        if (!walk.with_columns) {
            request.columns.emplace();
        }
        auto page = co_await engine.scan(std::move(request));
        if (!page) {
            co_return unless_dropped(page.error());
        }
        watch.add_examined(page->rows_examined);
        size_t new_count = 0;
        for (const auto& row : page->rows) {
            if (has_last && row.partition_key == last) {
                continue;
            }
            last = row.partition_key;
            has_last = true;
            ++new_count;
            if (!visit(row)) {
                co_return result<void>();
            }
        }
        if (!page->next) {
            co_return result<void>();
        }
        if (auto ok = watch.check(0); !ok) {
            co_return ok;
        }
        from = std::move(*page->next);
        if (has_last && from.partition_key == last) {
            from = {last + '\0', {}};
        }
        jump_rows = new_count > 1 ? std::min(2 * jump_rows, jump_rows_max) : jump_rows_min;
    }
}

seastar::future<result<partitions_by_shard>> find_partitions(tables::engine& engine, const plan& p, uint32_t index,
                                                             control& watch) {
    const auto& part = p.parts[index];
    if (p.origin_of(part).kind == origin_kind::source) {
        co_return partitions_by_shard(seastar::smp::count, {std::string()}); // every shard may have some of it
    }
    if (p.asked.partition) {
        co_return named_partitions(engine, part, *p.asked.partition);
    }
    partitions_by_shard found(seastar::smp::count);
    row_matcher matcher(p.where, p.origin_of(part), part.spread);
    std::string text;
    size_t bytes = 0;
    bool is_over = false;
    auto walked = co_await visit_partitions(engine, {.table = part.id, .from = {}}, watch, [&](const tables::batch_row& row) {
        if (matcher.enter(tables::uncollate(row.partition_key, text)) == verdict::no) {
            return true;
        }
        found[engine.owner_of(row.partition_key)].emplace_back(row.partition_key);
        bytes += row.partition_key.size() + sizeof(std::string);
        is_over = !watch.check(bytes).has_value();
        return !is_over;
    });
    if (is_over) {
        co_return std::unexpected(watch.check(bytes).error());
    }
    if (!walked) {
        co_return std::unexpected(walked.error());
    }
    co_return found;
}

} // namespace query

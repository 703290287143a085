#include "tables/one_by_one.hh"

#include <seastar/core/coroutine.hh>

namespace tables {

seastar::future<commit_outcome> commit_one_by_one(engine& e, transaction t) {
    const auto rows = *row_batch_reader::open(t.rows);
    commit_outcome last;
    size_t index = 0;
    for (auto row = rows.begin(); index < t.operations.size(); ++row, ++index) {
        row_batch_builder one(rows.table());
        one.add_row(row->kind, row->partition_key, row->row_key, row->row, row->timestamp);
        last = co_await e.commit({one.take(), {t.operations[index]}});
        if (!last) {
            last.error().index = index;
            break;
        }
    }
    co_return last;
}

} // namespace tables

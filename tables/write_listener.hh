// Is shown rows as they are written on its shard, for who follows what arrives.
#pragma once

#include "base/ids.hh"
#include "tables/core/row_batch.hh"

namespace tables {

class write_listener {
public:
    virtual ~write_listener() = default;
    // Within the write: everything is borrowed for the call. The rows are not durable yet; what they say may be told when
    // engine::wait_readable(last) has resolved.
    virtual void rows_written(base::table_id, const row_batch_reader&, base::sequence last) noexcept = 0;
};

} // namespace tables

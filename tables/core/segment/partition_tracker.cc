#include "tables/core/segment/partition_tracker.hh"

#include "tables/core/segment/segment_layout.hh"

namespace tables {

void partition_tracker::add(const segment_row& row, std::optional<base::tick> row_time) {
    if (_info.rows_count == 0 || _key != row.partition_key) {
        end_partition();
        _key = row.partition_key;
        _info = {.first_row = _rows_count};
        _newest.reset();
        _slots.add(_placement.slot_of(_key));
        ++_partitions_count;
    }
    ++_rows_count;
    ++_info.rows_count;
    if (row_time) {
        if (!_info.newest) { // keys run from the newest to the oldest
            _info.newest = row_time;
            keep_newest(row);
        }
        _info.oldest = row_time;
    }
}

void partition_tracker::keep_newest(const segment_row& row) {
    if (row.row.bytes().size() > segment_layout::newest_row_bytes_max) {
        return;
    }
    _newest_key = row.row_key;
    _newest_packed = row.row.bytes();
    _newest = row;
    if (row.kind != row_kind::remove) {
        if (!(row.row.of_shape() == _newest_shape)) {
            _newest_shape = row.row.of_shape();
        }
        _newest->row = row_view(_newest_shape, _newest_packed);
    }
}

void partition_tracker::end_partition() {
    if (_info.rows_count == 0) {
        return;
    }
    _info.partition_key = _key;
    const bool is_kept = _newest && _info.rows_count >= segment_layout::newest_row_from_rows;
    if (is_kept) {
        _newest->partition_key = _key;
        _newest->row_key = _newest_key;
    }
    _page.add(_info, is_kept ? &*_newest : nullptr);
    _info = {};
}

} // namespace tables

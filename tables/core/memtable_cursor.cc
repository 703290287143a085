#include <algorithm>

#include "tables/core/memtable.hh"
#include "tables/core/memtable_nodes.hh"

namespace tables {

void memtable::cursor::seek(std::string_view partition_key, std::string_view row_key) {
    _partition = _table->_partitions.lower_bound(coded_key(partition_key));
    const partition* const p = _partition.node();
    _row = {};
    if (p != nullptr) {
        const bool is_there = p->key() == partition_key;
        _row = p->rows.lower_bound(coded_key(is_there ? row_key : std::string_view()));
    }
    settle();
}

void memtable::cursor::next() {
    _row = _partition.node()->rows.next(_row);
    settle();
}

// From here on to the first row of which the snapshot sees something.
void memtable::cursor::settle() {
    _versions.clear();
    while (_partition.node() != nullptr) {
        for (; _row.node() != nullptr; _row = _partition.node()->rows.next(_row)) {
            collect(*_row.node(), _snapshot, _versions);
            if (!_versions.empty()) {
                return;
            }
        }
        _partition = _table->_partitions.next(_partition);
        if (_partition.node() != nullptr) {
            _row = _partition.node()->rows.lower_bound(coded_key({}));
        }
    }
}

std::string_view memtable::cursor::partition_key() const {
    return _partition.node()->key();
}

std::string_view memtable::cursor::row_key() const {
    return _row.node()->key();
}

memtable::partition_cursor::partition_cursor(const memtable& table, std::string_view key)
    : _table(&table), _partition(table._partitions.lower_bound(coded_key(key))) {}

void memtable::partition_cursor::next() {
    _partition = _table->_partitions.next(_partition);
}

std::string_view memtable::partition_cursor::key() const {
    return _partition.node()->key();
}

std::string_view memtable::arrival_cursor::key() const {
    return _partition->key();
}

void memtable::arrival_cursor::next() {
    _partition = _partition->made_before;
    --_left;
}

// The code of a time key is its inverted tick, and codes are in the order of keys.
std::optional<base::tick> memtable::partition_cursor::newest() const {
    const auto code = _partition.node()->least_code;
    return code <= static_cast<uint64_t>(base::tick_max.value)
               ? std::optional(base::tick{base::tick_max.value - static_cast<int64_t>(code)})
               : std::nullopt;
}

std::optional<base::tick> memtable::partition_cursor::oldest() const {
    const auto last = std::min(_partition.node()->greatest_code, static_cast<uint64_t>(base::tick_max.value));
    return newest() ? std::optional(base::tick{base::tick_max.value - static_cast<int64_t>(last)}) : std::nullopt;
}

} // namespace tables

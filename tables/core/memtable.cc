#include "tables/core/memtable.hh"

#include <algorithm>
#include <array>
#include <cassert>

#include "tables/core/memtable_nodes.hh"
#include "tables/core/prefetch.hh"

namespace tables {
namespace {

constexpr size_t aligned(size_t bytes) {
    return (bytes + 7) & ~size_t{7};
}

// Partitions lie far apart: what the inserts to come are likely to touch is fetched ahead of them, a usual key included.
void prefetch(const void* partition) {
    prefetch_bytes(partition, 4 * cache_line_bytes);
}

// As many rows whose memory is fetched at a time: enough to hide the way to it, and not more than the caches near by hold.
constexpr size_t group_max = 16;

} // namespace

memtable::partition* memtable::find_partition(std::string_view key) const {
    return _partitions_by_hash.find(base::stable_hash(key), [&](const partition& p) { return p.key() == key; });
}

memtable::partition& memtable::partition_for(std::string_view key) {
    if (_last != nullptr) {
        if (_last->key() == key) {
            return *_last;
        }
        if (_last->followed_by != nullptr && _last->followed_by->key() == key) {
            return *_last->followed_by;
        }
    }
    if (auto* const known = find_partition(key)) {
        return *known;
    }
    auto* const made = new (_memory.allocate(sizeof(partition) + key.size())) partition{};
    made->hash = base::stable_hash(key);
    made->least_code = UINT64_MAX;
    made->key_bytes = static_cast<uint32_t>(key.size());
    std::ranges::copy(key, reinterpret_cast<char*>(made + 1));
    _partitions_by_hash.insert(*made, _memory);
    _partitions.find_or_insert(coded_key(made->key()), _memory, [&]() -> partition& { return *made; });
    ++_facts.partitions_count;
    made->made_before = _newest_made;
    _newest_made = made;
    return *made;
}

void memtable::fill(version& v, const write& w) {
    v.sequence = w.sequence;
    v.timestamp = w.timestamp;
    v.older = nullptr;
    v.columns = w.shape ? w.shape->get() : nullptr;
    v.packed_bytes = static_cast<uint32_t>(w.packed.size());
    v.kind = w.kind;
    v.is_fold = false;
    std::ranges::copy(w.packed, v.packed());
}

memtable::row& memtable::make_row(std::string_view key, const write& w) {
    const size_t version_at = sizeof(row) + aligned(key.size());
    auto* const memory = static_cast<char*>(_memory.allocate(version_at + sizeof(version) + w.packed.size()));
    auto* const first = new (memory + version_at) version;
    fill(*first, w);
    std::ranges::copy(key, memory + sizeof(row));
    ++_facts.rows_count;
    return *new (memory) row{first, static_cast<uint32_t>(key.size())};
}

void memtable::count(const write& w) {
    if (_facts.versions_count++ == 0) {
        _facts.sequence_min = w.sequence;
    }
    _facts.sequence_min = std::min(_facts.sequence_min, w.sequence);
    _facts.sequence_max = std::max(_facts.sequence_max, w.sequence);
    _facts.merges_count += w.kind == row_kind::merge ? 1 : 0;
}

void memtable::insert(const write& w) {
    partition& p = partition_for(w.partition_key);
    if (const partition* const next = p.followed_by) {
        next->rows.prefetch_first();
        prefetch(next->followed_by);
    }
    insert_into(p, w);
}

void memtable::insert_into(partition& p, const write& w) {
    assert(w.shape.has_value() == (w.kind != row_kind::remove));
    if (_last != nullptr && _last->followed_by != &p) {
        _last->followed_by = &p;
    }
    _last = &p;
    bool is_new = false;
    const coded_key key(w.row_key);
    row& r = p.rows.find_or_insert(key, _memory, [&]() -> row& {
        is_new = true;
        return make_row(w.row_key, w);
    });
    if (is_new) {
        p.least_code = std::min(p.least_code, key.code);
        p.greatest_code = std::max(p.greatest_code, key.code);
    } else {
        add_version(p, r, w);
    }
    count(w);
}

void memtable::insert(const row_batch_reader& batch, base::sequence first) {
    _batch_shapes.clear();
    for (const auto& s : batch.shapes()) {
        _batch_shapes.push_back(intern(s));
    }
    for (auto row = batch.begin(); row != batch.end();) {
        _group.clear();
        for (; row != batch.end() && _group.size() < group_max; ++row, ++first.value) {
            const bool has_shape = row->kind != row_kind::remove;
            _group.push_back({.partition_key = row->partition_key,
                              .row_key = row->row_key,
                              .sequence = first,
                              .kind = row->kind,
                              .timestamp = row->timestamp,
                              .shape = has_shape ? std::optional(_batch_shapes[row->shape_index]) : std::nullopt,
                              .packed = row->row.bytes()});
        }
        if (_group.size() > 1 && !is_expected(_group.front().partition_key)) {
            insert_scattered(_group);
        } else {
            for (const auto& w : _group) {
                insert(w);
            }
        }
    }
}

// Whether it is where the last insert says, and so on the way to the caches.
bool memtable::is_expected(std::string_view key) const {
    return _last != nullptr && (_last->key() == key || (_last->followed_by != nullptr && _last->followed_by->key() == key));
}

// Rows that come in no order: one after the other, each would wait for memory five times. So all of them take each step before
// any of them takes the next.
void memtable::insert_scattered(std::span<const write> writes) {
    assert(writes.size() <= group_max);
    std::array<uint64_t, group_max> hashes;
    std::array<partition*, group_max> partitions;
    for (size_t i = 0; i < writes.size(); ++i) {
        hashes[i] = base::stable_hash(writes[i].partition_key);
        _partitions_by_hash.prefetch(hashes[i]);
    }
    for (size_t i = 0; i < writes.size(); ++i) {
        prefetch(_partitions_by_hash.first_looked_at(hashes[i]));
    }
    for (size_t i = 0; i < writes.size(); ++i) {
        const auto key = writes[i].partition_key;
        partitions[i] = _partitions_by_hash.find(hashes[i], [&](const partition& p) { return p.key() == key; });
        if (partitions[i] != nullptr) {
            partitions[i]->rows.prefetch_root();
        }
    }
    for (size_t i = 0; i < writes.size(); ++i) {
        if (partitions[i] != nullptr) {
            partitions[i]->rows.prefetch_leaf(coded_key(writes[i].row_key));
        }
    }
    for (size_t i = 0; i < writes.size(); ++i) {
        // One that was not there may have come with a row before this one.
        insert_into(partitions[i] != nullptr ? *partitions[i] : partition_for(writes[i].partition_key), writes[i]);
    }
}

void memtable::add_version(const partition& p, row& r, const write& w) {
    auto* const added = new (_memory.allocate(sizeof(version) + w.packed.size())) version;
    fill(*added, w);
    if (w.sequence < r.newest->sequence) {
        add_late_version(r, *added);
        return;
    }
    added->older = r.newest;
    r.newest = added;
    size_t merges = 0;
    for (const version* v = added; v != nullptr && v->kind == row_kind::merge && !v->is_fold; v = v->older) {
        if (++merges == merge_chain_max) {
            fold(p, r);
            return;
        }
    }
}

// Every fold above the place of the late one says what the row was without it.
void memtable::add_late_version(row& r, version& late) {
    version** link = &r.newest;
    while (*link != nullptr && (*link)->sequence > late.sequence) {
        if ((*link)->is_fold) {
            *link = (*link)->older;
            --_facts.folds_count;
        } else {
            link = &(*link)->older;
        }
    }
    late.older = *link;
    *link = &late;
}

void memtable::fold(const partition& p, row& r) {
    _chain.clear();
    collect(r, r.newest->sequence, _chain);
    const auto dropped_before = _resolver.dropped_count();
    const auto folded = _resolver.fold({p.key(), r.key()}, _chain);
    _facts.dropped_properties_count += _resolver.dropped_count() - dropped_before;
    const auto columns = _shapes.intern(folded.properties, _memory);
    const size_t bytes = packed_bytes(folded.properties);
    auto* const v = new (_memory.allocate(sizeof(version) + bytes)) version{
        .sequence = r.newest->sequence,
        .timestamp = folded.timestamp,
        .older = r.newest,
        .columns = columns.get(),
        .packed_bytes = static_cast<uint32_t>(bytes),
        .kind = folded.kind,
        .is_fold = true,
    };
    pack_row(folded.properties, v->packed());
    r.newest = v;
    ++_facts.folds_count;
}

void memtable::collect(const row& r, base::sequence snapshot, std::vector<row_version>& versions) {
    const version* v = r.newest;
    while (v != nullptr && v->sequence > snapshot) {
        v = v->older;
    }
    for (; v != nullptr; v = v->older) {
        versions.push_back(v->view());
        if (v->kind != row_kind::merge || v->is_fold) {
            return;
        }
    }
}

void memtable::find(std::string_view partition_key, std::string_view row_key, base::sequence snapshot,
                    std::vector<row_version>& versions) const {
    versions.clear();
    const partition* const p = find_partition(partition_key);
    if (p == nullptr) {
        return;
    }
    if (const row* const r = p->rows.find(coded_key(row_key))) {
        collect(*r, snapshot, versions);
    }
}

size_t memtable::bytes() const {
    return sizeof(memtable) + _memory.bytes() + _shapes.heap_bytes() + _partitions_by_hash.heap_bytes() + _resolver.heap_bytes() +
           _chain.capacity() * sizeof(row_version) + _batch_shapes.capacity() * sizeof(interned_shape) +
           _group.capacity() * sizeof(write);
}

bool memtable::clear_step() {
    return _memory.clear_step() || _shapes.clear_step();
}

} // namespace tables

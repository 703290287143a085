#include "tables/core/memtable.hh"

#include <algorithm>
#include <cassert>

#include "tables/core/memtable_nodes.hh"

namespace tables {
namespace {

constexpr size_t aligned(size_t bytes) {
    return (bytes + 7) & ~size_t{7};
}

// Partitions lie far apart: what the inserts to come are likely to touch is fetched ahead of them, a usual key included.
void prefetch(const void* partition) {
    constexpr size_t cache_line_bytes = 64, lines_count = 4;
    for (size_t i = 0; i < lines_count; ++i) {
        __builtin_prefetch(static_cast<const char*>(partition) + i * cache_line_bytes);
    }
}

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
    assert(w.shape.has_value() == (w.kind != row_kind::remove));
    partition& p = partition_for(w.partition_key);
    if (_last != nullptr && _last->followed_by != &p) {
        _last->followed_by = &p;
    }
    _last = &p;
    if (const partition* const next = p.followed_by) {
        next->rows.prefetch_first();
        prefetch(next->followed_by);
    }
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
    write w{.sequence = first};
    for (const auto& row : batch) {
        w.partition_key = row.partition_key;
        w.row_key = row.row_key;
        w.kind = row.kind;
        w.timestamp = row.timestamp;
        w.shape.reset();
        if (row.kind != row_kind::remove) {
            w.shape = _batch_shapes[row.shape_index];
        }
        w.packed = row.row.bytes();
        insert(w);
        ++w.sequence.value;
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
           _chain.capacity() * sizeof(row_version) + _batch_shapes.capacity() * sizeof(interned_shape);
}

bool memtable::clear_step() {
    return _memory.clear_step() || _shapes.clear_step();
}

} // namespace tables

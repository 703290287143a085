#include "blobs/core/blob_merge.hh"

#include <algorithm>
#include <cassert>

namespace blobs {

blob_merge::blob_merge(std::span<const blob_view* const> inputs) {
    assert(!inputs.empty() && inputs.size() <= merge_inputs_max);
    for (const auto* blob : inputs) {
        auto& made = _inputs.emplace_back();
        made.blob = blob;
    }
}

void blob_merge::input::close_block() {
    ++block;
    is_open = false;
    bytes.clear();
    reader.reset();
}

// Of two with the same time a closed one comes first: only its records tell which is before which.
size_t blob_merge::least() const {
    const auto is_before = [](const input& a, const input& b) {
        if (a.is_done() || b.is_done()) {
            return !a.is_done();
        }
        if (a.time_ns() != b.time_ns() || !a.is_open || !b.is_open) {
            return a.time_ns() != b.time_ns() ? a.time_ns() < b.time_ns() : !a.is_open && b.is_open;
        }
        return a.reader->order(a.record) < b.reader->order(b.record);
    };
    return static_cast<size_t>(std::ranges::min_element(_inputs, is_before) - _inputs.begin());
}

bool blob_merge::is_done() const {
    return std::ranges::all_of(_inputs, &input::is_done);
}

std::optional<blob_merge::turn> blob_merge::next() const {
    const size_t i = least();
    const auto& in = _inputs[i];
    if (in.is_done() || in.is_open) {
        return std::nullopt;
    }
    return turn{i, in.block, in.blob->blocks()[in.block].extent};
}

base::expected<void> blob_merge::bring(const turn& t, std::string bytes) {
    auto& in = _inputs[t.input];
    assert(!in.is_open && in.block == t.block);
    in.bytes = std::move(bytes);
    in.reader = std::make_unique<block_reader>();
    if (auto done = in.blob->open_block(in.block, in.bytes, *in.reader); !done) {
        in.reader.reset();
        return done;
    }
    in.is_open = true;
    in.record = 0;
    return {};
}

void blob_merge::skip(const turn& t) {
    assert(_inputs[t.input].block == t.block);
    _inputs[t.input].close_block();
}

base::expected<bool> blob_merge::step(blob_builder& builder) {
    for (size_t moved = 0; moved < step_records_max; ++moved) {
        auto& in = _inputs[least()];
        if (in.is_done() || !in.is_open) {
            return false;
        }
        const auto r = in.reader->read(in.record, _scratch);
        if (!r) {
            in.close_block();
            return std::unexpected(r.error());
        }
        const bool closes_block = builder.add(*r);
        if (++in.record == in.reader->size()) {
            in.close_block();
        }
        if (closes_block) {
            return true;
        }
    }
    return true;
}

} // namespace blobs

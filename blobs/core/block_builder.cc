#include "blobs/core/block_builder.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "base/checksum.hh"
#include "blobs/core/record_code.hh"

namespace blobs {
namespace {

// Shorter words have their marks sooner than they are found.
constexpr size_t remembered_from_bytes = 8;

// Only chooses a place; what is there is compared. Needs: at least eight bytes.
size_t word_hash(std::string_view word) {
    uint64_t first = 0;
    uint64_t last = 0;
    std::memcpy(&first, word.data(), sizeof first);
    std::memcpy(&last, word.data() + word.size() - sizeof last, sizeof last);
    return ((first ^ std::rotl(last, 29)) * 0x9e3779b97f4a7c15) >> 40;
}

} // namespace

void block_builder::clear() {
    _facts = {};
    _last_order = {};
    _raw.clear();
    _values_count = 0;
    _side_bytes = 0;
    _heads.clear();
    _parts.clear();
    _texts.clear();
    _marks.clear();
    _recent_words.fill({});
    _stage = stage::heads;
    _next_stream = 0;
    _streams.clear();
    _bytes.clear();
}

bool block_builder::is_full() const {
    return _raw.size() >= block_raw_bytes_target || _facts.records_count >= block_records_max ||
           _side_bytes >= block_raw_bytes_target || _values_count + fields_max > block_values_max;
}

void block_builder::add(const record& r) {
    assert(!is_full() && _stage == stage::heads);
    assert(is_within_limits(r));
    assert(is_empty() || _last_order < r.order);
    const size_t begin = _raw.size();
    _raw += r.text;
    _raw.push_back('\n');
    const auto added = _texts.add(std::string_view(_raw).substr(begin, r.text.size()), static_cast<uint32_t>(begin));
    add_marks(r, {static_cast<uint32_t>(begin), static_cast<uint32_t>(r.text.size())}, added);
    add_heads(r);
    _parts.add(r);
    _values_count += r.fields.size();
    _side_bytes += side_bytes(r);
    _facts.first_ns = is_empty() ? r.order.time_ns : _facts.first_ns;
    _facts.last_ns = r.order.time_ns;
    _facts.levels |= level_bit(r.level);
    _facts.raw_bytes = static_cast<uint32_t>(_raw.size());
    ++_facts.records_count;
    _last_order = r.order;
}

void block_builder::add_new_template_marks(std::string_view masked) {
    const auto shape = text_template::parse(masked);
    for (const auto& slot : shape.slots) {
        _marks.add(view(masked, slot.gap));
    }
    _marks.add(view(masked, shape.tail));
}

void block_builder::add_word_marks(text_ref place) {
    const auto word = view(_raw, place);
    if (word.size() >= remembered_from_bytes) {
        auto& seen = _recent_words[word_hash(word) % _recent_words.size()];
        if (view(_raw, seen) == word) {
            return;
        }
        seen = place;
    }
    _marks.add(word);
}

void block_builder::add_marks(const record& r, text_ref kept_text, const text_columns_writer::added& added) {
    if (added.is_new_template) {
        add_new_template_marks(added.masked);
    }
    if (!added.is_shaped || !is_part_of(r.message, r.text)) {
        _marks.add(r.message);
    } else {
        const auto begin = kept_text.begin + static_cast<size_t>(r.message.data() - r.text.data());
        const auto end = begin + r.message.size();
        for (const auto& word : added.words) {
            if (word.begin + word.size > begin && word.begin < end) {
                add_word_marks(word);
            }
        }
    }
    add_field_marks(r, kept_text);
}

void block_builder::add_field_marks(const record& r, text_ref kept_text) {
    for (const auto& field : r.fields) {
        if (field.value.type() != base::value_type::string || is_part_of(field.value.as_string(), r.message)) {
            continue;
        }
        const auto value = field.value.as_string();
        if (is_part_of(value, r.text)) {
            const auto begin = static_cast<uint32_t>(value.data() - r.text.data());
            add_word_marks({kept_text.begin + begin, static_cast<uint32_t>(value.size())});
        } else {
            _marks.add(value);
        }
    }
}

void block_builder::add_heads(const record& r) {
    const size_t hosts_count = _heads.hosts().entries().size();
    const size_t apps_count = _heads.apps().entries().size();
    _heads.add(r);
    if (_heads.hosts().entries().size() != hosts_count) {
        _marks.add(host_mark(r.host));
    }
    if (_heads.apps().entries().size() != apps_count) {
        _marks.add(app_mark(r.app));
    }
}

void block_builder::step_heads() {
    base::put_varint(_bytes, _facts.records_count);
    base::put_varint(_bytes, _facts.raw_bytes);
    base::put_fixed(_bytes, base::checksum64(_raw));
    _heads.encode(_numbers, _streams);
    _parts.encode(_numbers, _streams);
}

bool block_builder::step() {
    assert(!is_empty());
    switch (_stage) {
    case stage::heads:
        step_heads();
        _stage = stage::texts;
        break;
    case stage::texts:
        _texts.begin(_raw, _streams);
        _stage = stage::templates;
        break;
    case stage::templates:
        if (!_texts.put_template(_streams)) {
            _stage = stage::streams;
        }
        break;
    case stage::streams:
        _streams.encode(static_cast<stream>(_next_stream++), _zstd, _bytes);
        _stage = _next_stream == streams_count ? stage::done : stage::streams;
        break;
    case stage::done: break;
    }
    return _stage == stage::done;
}

} // namespace blobs

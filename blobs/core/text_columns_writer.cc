#include "blobs/core/text_columns_writer.hh"

#include <algorithm>
#include <cassert>

#include "base/checksum.hh"

namespace blobs {
namespace {

constexpr size_t text_table_size_min = 1'024;

} // namespace

void text_columns_writer::clear() {
    _texts.clear();
    _words.clear();
    _masked.clear();
    _templates.clear();
    _table.assign(text_table_size_min, 0);
    _next_template = 0;
    _next_sorted = 0;
}

void text_columns_writer::grow_table() {
    std::vector<uint32_t> table(std::max(2 * _table.size(), text_table_size_min), 0);
    const size_t bits = table.size() - 1;
    for (uint32_t i = 0; i < _templates.size(); ++i) {
        size_t at = _templates[i].hash & bits;
        while (table[at] != 0) {
            at = (at + 1) & bits;
        }
        table[at] = i + 1;
    }
    _table = std::move(table);
}

uint32_t text_columns_writer::find_or_add_template(std::string_view masked, bool& is_new) {
    if (2 * _templates.size() >= _table.size()) {
        grow_table();
    }
    const uint64_t hash = base::stable_hash(masked);
    const size_t bits = _table.size() - 1;
    size_t at = hash & bits;
    for (; _table[at] != 0; at = (at + 1) & bits) {
        const auto& seen = _templates[_table[at] - 1];
        if (seen.hash == hash && view(_masked, seen.masked) == masked) {
            is_new = false;
            return _table[at] - 1;
        }
    }
    is_new = true;
    _templates.push_back({{static_cast<uint32_t>(_masked.size()), static_cast<uint32_t>(masked.size())}, hash, 0});
    _masked += masked;
    _table[at] = static_cast<uint32_t>(_templates.size());
    return _table[at] - 1;
}

text_columns_writer::added text_columns_writer::add(std::string_view text, uint32_t where) {
    added result;
    text_info info{.words_begin = static_cast<uint32_t>(_words.size()), .place = {where, static_cast<uint32_t>(text.size())}};
    result.is_shaped = _shaper.shape(text);
    if (result.is_shaped) {
        const uint32_t shape = find_or_add_template(_shaper.masked(), result.is_new_template);
        ++_templates[shape].texts_count;
        info.shape = shape + 1;
        for (const auto& word : _shaper.words()) {
            _words.push_back({where + word.begin, word.size});
        }
        result.masked = _shaper.masked();
        result.words = _shaper.words();
    }
    _texts.push_back(info);
    return result;
}

void text_columns_writer::put_untemplated(std::string_view raw, block_streams& out) {
    _values.clear();
    for (const auto& text : _texts) {
        if (text.shape == 0) {
            _values.push_back(text.place.size);
            out[stream::texts] += view(raw, text.place);
        }
    }
    _numbers.put(_values, out);
}

void text_columns_writer::sort_by_template() {
    std::vector<uint32_t> next(_templates.size() + 1, 0);
    for (size_t t = 0; t < _templates.size(); ++t) {
        next[t + 1] = next[t] + _templates[t].texts_count;
    }
    _sorted.resize(next.back());
    for (uint32_t i = 0; i < _texts.size(); ++i) {
        if (_texts[i].shape != 0) {
            _sorted[next[_texts[i].shape - 1]++] = i;
        }
    }
}

void text_columns_writer::begin(std::string_view raw, block_streams& out) {
    base::put_varint(out[stream::heads], _templates.size());
    _values.clear();
    std::ranges::transform(_templates, std::back_inserter(_values), [](const auto& t) { return t.masked.size; });
    _numbers.put(_values, out);
    out[stream::templates] += _masked;
    _values.clear();
    std::ranges::transform(_texts, std::back_inserter(_values), &text_info::shape);
    _numbers.put(_values, out);
    put_untemplated(raw, out);
    sort_by_template();
    _columns.begin(raw);
    _next_template = 0;
    _next_sorted = 0;
}

bool text_columns_writer::put_template(block_streams& out) {
    if (_next_template == _templates.size()) {
        return false;
    }
    const auto& info = _templates[_next_template++];
    const auto shape = text_template::parse(view(_masked, info.masked));
    for (size_t slot = 0; slot < shape.slots.size(); ++slot) {
        _slot_words.clear();
        for (size_t i = 0; i < info.texts_count; ++i) {
            _slot_words.push_back(_words[_texts[_sorted[_next_sorted + i]].words_begin + slot]);
        }
        _columns.put(shape, shape.slots[slot], _slot_words, out);
    }
    _next_sorted += info.texts_count;
    return _next_template != _templates.size();
}

} // namespace blobs

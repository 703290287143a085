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
    _matchers.clear();
    _known.fill({});
    _digits.clear();
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
    _templates.push_back({{static_cast<uint32_t>(_masked.size()), static_cast<uint32_t>(masked.size())}, hash, 0, 0});
    _masked += masked;
    _table[at] = static_cast<uint32_t>(_templates.size());
    return _table[at] - 1;
}

// One that comes again will come more often. Its texts up to now are read when it is coded.
void text_columns_writer::make_matcher(template_info& info) {
    const auto masked = view(_masked, info.masked);
    _matchers.emplace_back(masked, text_template::parse(masked));
    info.matcher = static_cast<uint32_t>(_matchers.size());
}

bool text_columns_writer::match(std::string_view text, known_signature known, text_info& info) {
    const auto& candidate = _templates[known.shape - 1];
    const auto digits_begin = static_cast<uint32_t>(_digits.size());
    if (!_matchers[candidate.matcher - 1].match(view(_masked, candidate.masked), text, info.place.begin, _words, _digits)) {
        return false;
    }
    info.shape = known.shape;
    info.digits_begin = digits_begin;
    return true;
}

void text_columns_writer::shape(std::string_view text, uint32_t signature, text_info& info, added& result) {
    if (!_shaper.shape(text)) {
        return;
    }
    const uint32_t number = find_or_add_template(_shaper.masked(), result.is_new_template);
    auto& found = _templates[number];
    info.shape = number + 1;
    for (const auto& word : _shaper.words()) {
        _words.push_back({info.place.begin + word.begin, word.size});
    }
    result.masked = _shaper.masked();
    if (!result.is_new_template && found.matcher == 0) {
        make_matcher(found);
    }
    if (found.matcher != 0 && _matchers[found.matcher - 1].can_match()) {
        _known[signature % _known.size()] = {signature, info.shape};
    }
}

text_columns_writer::added text_columns_writer::add(std::string_view text, uint32_t where) {
    added result;
    text_info info{.words_begin = static_cast<uint32_t>(_words.size()), .place = {where, static_cast<uint32_t>(text.size())}};
    const uint32_t signature = signature_of(text);
    const auto known = _known[signature % _known.size()];
    if (known.shape == 0 || known.signature != signature || !match(text, known, info)) {
        shape(text, signature, info, result);
    }
    result.is_shaped = info.shape != 0;
    if (result.is_shaped) {
        ++_templates[info.shape - 1].texts_count;
        result.words = std::span(_words).subspan(info.words_begin);
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
    _raw = raw;
    _next_template = 0;
    _next_sorted = 0;
}

// Of those texts of a template that were shaped.
void text_columns_writer::read_digits(const template_info& info) {
    const auto& matcher = _matchers[info.matcher - 1];
    for (size_t i = 0; i < info.texts_count; ++i) {
        auto& text = _texts[_sorted[_next_sorted + i]];
        if (text.digits_begin == not_read) {
            text.digits_begin = static_cast<uint32_t>(_digits.size());
            _words_again.clear();
            const bool matches = matcher.match(view(_masked, info.masked), view(_raw, text.place), 0, _words_again, _digits);
            assert(matches);
            (void)matches;
        }
    }
}

template_texts text_columns_writer::texts_of(const template_info& info) {
    const bool is_read = info.matcher != 0 && _matchers[info.matcher - 1].can_match();
    if (is_read) {
        read_digits(info);
    }
    _words_begins.clear();
    _digits_begins.clear();
    for (size_t i = 0; i < info.texts_count; ++i) {
        const auto& text = _texts[_sorted[_next_sorted + i]];
        _words_begins.push_back(text.words_begin);
        if (is_read) {
            _digits_begins.push_back(text.digits_begin);
        }
    }
    return {_words, _words_begins, _digits, _digits_begins};
}

bool text_columns_writer::put_template(block_streams& out) {
    if (_next_template == _templates.size()) {
        return false;
    }
    const auto& info = _templates[_next_template++];
    const auto shape = text_template::parse(view(_masked, info.masked));
    const auto texts = texts_of(info);
    for (size_t slot = 0; slot < shape.slots.size(); ++slot) {
        _columns.put(shape, slot, texts, out);
    }
    _next_sorted += info.texts_count;
    return _next_template != _templates.size();
}

} // namespace blobs

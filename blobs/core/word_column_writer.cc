#include "blobs/core/word_column_writer.hh"

#include <algorithm>
#include <cassert>
#include <utility>

#include "blobs/core/hex_digits.hh"

namespace blobs {
namespace {

// Numbers pay when this share of the words was there before; single short numbers are as small without.
constexpr size_t looked_up_from_bytes = 6;
constexpr size_t looked_up_from_words = 4;
constexpr size_t sample_words = 256;

bool has_leading_zero(std::string_view digits) {
    return digits.size() > 1 && digits.front() == '0';
}

uint64_t number_of(std::string_view digits) {
    uint64_t value = 0;
    for (const char c : digits) {
        value = value * 10 + static_cast<uint64_t>(c - '0');
    }
    return value;
}

} // namespace

bool word_column_writer::repeats(const text_template& shape, size_t slot, const template_texts& texts) {
    const auto& parts = shape.slots[slot];
    const bool is_one_number = parts.parts_end - parts.parts_begin == 1 && shape.parts[parts.parts_begin].kind == mask::digits;
    if (texts.size() < looked_up_from_words || (is_one_number && texts.word(0, slot).size < looked_up_from_bytes)) {
        return false;
    }
    _entries.clear();
    size_t repeated = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
        bool is_new = false;
        _entries.push_back(_dictionary.find_or_add(_text, texts.word(i, slot), is_new));
        repeated += is_new ? 0 : 1;
        if (_entries.size() == sample_words && repeated * 8 < _entries.size()) {
            return false;
        }
    }
    return repeated * 2 >= texts.size();
}

void word_column_writer::put(const text_template& shape, size_t slot, const template_texts& texts, block_streams& out) {
    auto& heads = out[stream::heads];
    if (!repeats(shape, slot, texts)) {
        heads.push_back(static_cast<char>(word_form::parts));
        put_variables(shape, slot, texts, out);
        return;
    }
    heads.push_back(static_cast<char>(word_form::dictionary));
    const auto with_new = take_new(texts);
    _numbers.put(_codes, out);
    put_variables(shape, slot, with_new, out);
}

// Codes the words of this column, and says which texts have one that is new.
template_texts word_column_writer::take_new(const template_texts& texts) {
    _codes.clear();
    _new_words_begins.clear();
    _new_digits_begins.clear();
    for (size_t i = 0; i < texts.size(); ++i) {
        auto& entry = _dictionary[_entries[i]];
        const bool is_new = entry.number == word_dictionary::no_number;
        _codes.push_back(is_new ? 0 : uint64_t{1} + entry.number);
        if (is_new) {
            entry.number = _dictionary.next_number();
            _new_words_begins.push_back(texts.words_begins[i]);
            if (texts.has_digits()) {
                _new_digits_begins.push_back(texts.digits_begins[i]);
            }
        }
    }
    return {texts.words, _new_words_begins, texts.digits, _new_digits_begins};
}

void word_column_writer::put_variables(const text_template& shape, size_t slot, const template_texts& texts, block_streams& out) {
    if (texts.size() == 0) {
        return;
    }
    const auto [parts_begin, parts_end] = std::pair(shape.slots[slot].parts_begin, shape.slots[slot].parts_end);
    if (texts.has_digits()) {
        for (uint32_t p = parts_begin; p < parts_end; ++p) {
            put_read_digits(p, texts, out);
        }
        return;
    }
    _rests.clear();
    for (size_t i = 0; i < texts.size(); ++i) {
        _rests.push_back(texts.word(i, slot));
    }
    for (uint32_t p = parts_begin; p < parts_end; ++p) {
        const auto& part = shape.parts[p];
        _variables.clear();
        for (auto& rest : _rests) {
            rest.begin += part.before.size;
            rest.size -= part.before.size;
            const auto size = static_cast<uint32_t>(variable_size(view(_text, rest), part.kind));
            _variables.push_back({rest.begin, size});
            rest.begin += size;
            rest.size -= size;
        }
        put_variable(part.kind, out);
    }
}

void word_column_writer::put_read_digits(uint32_t part, const template_texts& texts, block_streams& out) {
    const size_t count = texts.size();
    const auto width = texts.variable(0, part).width;
    bool is_same_width = true;
    bool is_plain = true;
    _values.resize(count);
    for (size_t i = 0; i < count; ++i) {
        const auto& digits = texts.variable(i, part);
        is_same_width &= digits.width == width;
        is_plain &= !digits.has_leading_zero;
        _values[i] = digits.value;
    }
    _widths.resize(count);
    for (size_t i = 0; i < count && !is_plain; ++i) {
        _widths[i] = texts.variable(i, part).width;
    }
    put_values(is_plain, is_same_width, out);
}

void word_column_writer::put_variable(mask kind, block_streams& out) {
    switch (kind) {
    case mask::digits: return put_digits(out);
    case mask::hex: return put_hex(out);
    case mask::opaque: return put_texts(out);
    case mask::uuid:
        for (const auto& variable : _variables) {
            pack_uuid(view(_text, variable), out[stream::stored]);
        }
    }
}

void word_column_writer::put_digits(block_streams& out) {
    const uint32_t width = _variables.front().size;
    bool is_same_width = true;
    bool is_plain = true;
    _values.clear();
    _widths.clear();
    for (const auto& variable : _variables) {
        const auto digits = view(_text, variable);
        is_same_width &= variable.size == width;
        is_plain &= !has_leading_zero(digits);
        _values.push_back(number_of(digits));
        _widths.push_back(variable.size);
    }
    put_values(is_plain, is_same_width, out);
}

void word_column_writer::put_values(bool is_plain, bool is_same_width, block_streams& out) {
    auto& heads = out[stream::heads];
    if (is_plain) {
        heads.push_back(static_cast<char>(digits_form::plain));
    } else if (is_same_width) {
        heads.push_back(static_cast<char>(digits_form::same_width));
        heads.push_back(static_cast<char>(_widths.front()));
    } else {
        heads.push_back(static_cast<char>(digits_form::with_widths));
        _numbers.put(_widths, out);
    }
    _numbers.put(_values, out);
}

void word_column_writer::put_hex(block_streams& out) {
    const uint32_t width = _variables.front().size;
    const bool is_packed = width % 2 == 0 && width <= UINT8_MAX &&
                           std::ranges::all_of(_variables, [&](const text_ref& v) { return v.size == width; });
    auto& heads = out[stream::heads];
    heads.push_back(static_cast<char>(is_packed ? hex_form::packed : hex_form::text));
    if (!is_packed) {
        return put_texts(out);
    }
    heads.push_back(static_cast<char>(width));
    for (const auto& variable : _variables) {
        pack_hex(view(_text, variable), out[stream::stored]);
    }
}

void word_column_writer::put_texts(block_streams& out) {
    _values.clear();
    for (const auto& variable : _variables) {
        _values.push_back(variable.size);
        out[stream::words] += view(_text, variable);
    }
    _numbers.put(_values, out);
}

} // namespace blobs

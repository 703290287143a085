#include "blobs/core/word_column_writer.hh"

#include <algorithm>
#include <cassert>

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

bool word_column_writer::repeats(const text_template& shape, const template_slot& slot, std::span<const text_ref> words) {
    const bool is_one_number = slot.parts_end - slot.parts_begin == 1 && shape.parts[slot.parts_begin].kind == mask::digits;
    if (words.size() < looked_up_from_words || (is_one_number && words.front().size < looked_up_from_bytes)) {
        return false;
    }
    _entries.clear();
    size_t repeated = 0;
    for (const auto& word : words) {
        bool is_new = false;
        _entries.push_back(_dictionary.find_or_add(_text, word, is_new));
        repeated += is_new ? 0 : 1;
        if (_entries.size() == sample_words && repeated * 8 < _entries.size()) {
            return false;
        }
    }
    return repeated * 2 >= words.size();
}

void word_column_writer::put(const text_template& shape, const template_slot& slot, std::span<const text_ref> words,
                             block_streams& out) {
    auto& heads = out[stream::heads];
    if (!repeats(shape, slot, words)) {
        heads.push_back(static_cast<char>(word_form::parts));
        put_variables(shape, slot, words, out);
        return;
    }
    heads.push_back(static_cast<char>(word_form::dictionary));
    _codes.clear();
    _new_words.clear();
    for (size_t i = 0; i < words.size(); ++i) {
        auto& entry = _dictionary[_entries[i]];
        const bool is_new = entry.number == word_dictionary::no_number;
        _codes.push_back(is_new ? 0 : uint64_t{1} + entry.number);
        if (is_new) {
            entry.number = _dictionary.next_number();
            _new_words.push_back(words[i]);
        }
    }
    _numbers.put(_codes, out);
    put_variables(shape, slot, _new_words, out);
}

void word_column_writer::put_variables(const text_template& shape, const template_slot& slot, std::span<const text_ref> words,
                                       block_streams& out) {
    if (words.empty()) {
        return;
    }
    _rests.assign(words.begin(), words.end());
    for (uint32_t p = slot.parts_begin; p < slot.parts_end; ++p) {
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
    for (const auto& variable : _variables) {
        const auto digits = view(_text, variable);
        is_same_width &= variable.size == width;
        is_plain &= !has_leading_zero(digits);
        _values.push_back(number_of(digits));
    }
    auto& heads = out[stream::heads];
    if (is_plain) {
        heads.push_back(static_cast<char>(digits_form::plain));
    } else if (is_same_width) {
        heads.push_back(static_cast<char>(digits_form::same_width));
        heads.push_back(static_cast<char>(width));
    } else {
        heads.push_back(static_cast<char>(digits_form::with_widths));
        _widths.clear();
        std::ranges::transform(_variables, std::back_inserter(_widths), &text_ref::size);
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

// What a search asks of the words of a slot without putting texts together.

#include <algorithm>
#include <array>
#include <bit>

#include "blobs/core/needle.hh"
#include "blobs/core/word_column_reader.hh"

namespace blobs {
namespace {

// Different sizes of the variables of words that are in the dictionary, of one column. Where there are more, keys tell little.
constexpr size_t classes_max = 256;
constexpr uint16_t no_class = UINT16_MAX;

constexpr std::array<uint64_t, 20> powers_of_ten = [] {
    std::array<uint64_t, 20> powers{1};
    for (size_t i = 1; i < powers.size(); ++i) {
        powers[i] = powers[i - 1] * 10;
    }
    return powers;
}();

size_t width_of(uint64_t value) {
    const auto about = static_cast<size_t>(std::bit_width(value | 1)) * 1'233 >> 12;
    return about + (value >= powers_of_ten[about] ? 1 : 0) + (value == 0 ? 1 : 0);
}

// One of the sizes least .. greatest of each word.
template <class SizeOf>
bool add_codes(std::span<uint64_t> keys, uint64_t& range, uint64_t least, uint64_t greatest, const SizeOf& size_of) {
    const uint64_t count = greatest - least + 1;
    if (count == 1) {
        return true;
    }
    if (__builtin_mul_overflow(range, count, &range)) {
        return false;
    }
    for (size_t i = 0; i < keys.size(); ++i) {
        keys[i] = keys[i] * count + (size_of(i) - least);
    }
    return true;
}

std::string_view masked_slot(std::string_view masked, const text_template& shape, const template_slot& slot) {
    const size_t begin = shape.parts[slot.parts_begin].before.begin;
    return masked.substr(begin, slot.tail.begin + slot.tail.size - begin);
}

std::span<const template_part> parts_of(const text_template& shape, const template_slot& slot) {
    return std::span(shape.parts).subspan(slot.parts_begin, slot.parts_end - slot.parts_begin);
}

bool has_only_digits(const text_template& shape, const template_slot& slot) {
    return std::ranges::all_of(parts_of(shape, slot), [](const template_part& p) { return p.kind == mask::digits; });
}

// A run of digits that is too long for one variable is several.
bool has_long_numbers(const text_template& shape, const template_slot& slot) {
    return std::ranges::any_of(parts_of(shape, slot).subspan(1), [](const template_part& p) { return p.before.size == 0; });
}

} // namespace

bool word_columns::texts_have(std::string_view letters) const {
    return contains(_text_bytes, letters);
}

bool word_columns::add_part_sizes(const part& p, std::span<uint64_t> keys, uint64_t& range) const {
    if (p.is_text() || (p.kind == mask::digits && p.form == static_cast<uint8_t>(digits_form::with_widths))) {
        const auto places = std::span(_places).subspan(p.places_begin, keys.size());
        const auto [least, greatest] = std::ranges::minmax(places, {}, &text_ref::size);
        return add_codes(keys, range, least.size, greatest.size, [&](size_t i) { return places[i].size; });
    }
    if (p.kind == mask::digits && p.form == static_cast<uint8_t>(digits_form::plain)) {
        const auto numbers = numbers_of(p, keys.size());
        const auto [least, greatest] = std::ranges::minmax(numbers);
        return add_codes(keys, range, width_of(least), width_of(greatest), [&](size_t i) { return width_of(numbers[i]); });
    }
    return true; // all of one size
}

std::optional<uint64_t> word_columns::sizes_code(std::string_view word, const text_template& shape, const template_slot& slot) {
    const unsigned bits = 63 / (slot.parts_end - slot.parts_begin);
    uint64_t code = 0;
    for (uint32_t p = slot.parts_begin; p < slot.parts_end; ++p) {
        word.remove_prefix(std::min<size_t>(word.size(), shape.parts[p].before.size));
        const uint64_t size = variable_size(word, shape.parts[p].kind);
        if (size >> bits != 0) {
            return std::nullopt;
        }
        word.remove_prefix(std::min<size_t>(word.size(), size));
        code = code << bits | size;
    }
    return code;
}

bool word_columns::add_dictionary_sizes(const column& from, const text_template& shape, const template_slot& slot,
                                        std::span<uint64_t> keys, uint64_t& range) {
    _classes.assign(_dictionary.size(), no_class);
    std::vector<uint64_t> codes; // of the classes
    const auto numbers = std::span(_word_numbers).subspan(from.begin, keys.size());
    for (const uint32_t number : numbers) {
        if (_classes[number] != no_class) {
            continue;
        }
        const auto code = sizes_code(view(_words, _dictionary[number]), shape, slot);
        const auto found = code ? std::ranges::find(codes, *code) : codes.end();
        if (!code || (found == codes.end() && codes.size() == classes_max)) {
            return false;
        }
        _classes[number] = static_cast<uint16_t>(found - codes.begin());
        if (found == codes.end()) {
            codes.push_back(*code);
        }
    }
    return add_codes(keys, range, 0, codes.size() - 1, [&](size_t i) { return _classes[numbers[i]]; });
}

bool word_columns::add_sizes(const column& from, const text_template& shape, const template_slot& slot, std::span<uint64_t> keys,
                             uint64_t& range) {
    if (from.form == word_form::dictionary) {
        return add_dictionary_sizes(from, shape, slot, keys, range);
    }
    return std::ranges::all_of(std::span(_parts).subspan(from.begin, from.parts_count),
                               [&](const part& p) { return add_part_sizes(p, keys, range); });
}

void word_columns::find_in_dictionary(std::string_view piece) {
    _is_found.assign(_dictionary.size(), 0);
    const std::string_view words = _words;
    for (size_t at = words.find(piece); at != std::string_view::npos; at = words.find(piece, at + 1)) {
        const auto behind = std::ranges::upper_bound(_dictionary, at, {}, &text_ref::begin);
        _is_found[static_cast<size_t>(behind - _dictionary.begin()) - 1] = 1; // or in two words: that is looked at later
    }
}

// A number that has them in some place, leading zeros or not.
void word_columns::find_digits(const part& p, std::string_view digits, std::span<uint8_t> found) const {
    const auto numbers = numbers_of(p, found.size());
    size_t width = p.width;
    if (p.form == static_cast<uint8_t>(digits_form::plain)) {
        width = width_of(std::ranges::max(numbers));
    } else if (p.form == static_cast<uint8_t>(digits_form::with_widths)) {
        width = std::ranges::max(std::span(_places).subspan(p.places_begin, found.size()), {}, &text_ref::size).size;
    }
    uint64_t wanted = 0;
    for (const char c : digits) {
        wanted = wanted * 10 + static_cast<uint64_t>(c - '0');
    }
    for (size_t behind = 0; behind + digits.size() <= width; ++behind) {
        if (behind == 0 && digits.size() == width) {
            for (size_t i = 0; i < found.size(); ++i) {
                found[i] |= numbers[i] == wanted ? 1 : 0;
            }
            continue;
        }
        const uint64_t unit = powers_of_ten[behind];
        const uint64_t range = powers_of_ten[digits.size()];
        for (size_t i = 0; i < found.size(); ++i) {
            found[i] |= numbers[i] / unit % range == wanted ? 1 : 0;
        }
    }
}

void word_columns::find(const column& from, std::string_view masked, const text_template& shape, const template_slot& slot,
                        std::string_view piece, std::span<uint8_t> found) {
    if (from.form == word_form::dictionary) {
        if (_is_found.empty()) {
            find_in_dictionary(piece);
        }
        const auto numbers = std::span(_word_numbers).subspan(from.begin, found.size());
        for (size_t i = 0; i < found.size(); ++i) {
            found[i] |= _is_found[numbers[i]];
        }
        return;
    }
    const bool is_number = piece.size() <= digits_max && std::ranges::all_of(piece, [](char c) { return c >= '0' && c <= '9'; });
    if (has_only_digits(shape, slot)) {
        if (is_number && !has_long_numbers(shape, slot)) {
            for (const auto& p : std::span(_parts).subspan(from.begin, from.parts_count)) {
                find_digits(p, piece, found);
            }
            return;
        }
        if (!needle(std::string(piece)).may_be_in(masked_slot(masked, shape, slot), true, false)) {
            return;
        }
    }
    for (size_t i = 0; i < found.size(); ++i) {
        const size_t most = size_max(from, i);
        if (most < piece.size()) {
            continue;
        }
        _written.resize(std::max(_written.size(), most));
        const char* const end = write(from, masked, shape, slot, i, _written.data());
        found[i] |= contains(std::string_view(_written.data(), static_cast<size_t>(end - _written.data())), piece) ? 1 : 0;
    }
}

} // namespace blobs

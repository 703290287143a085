#include "blobs/core/word_column_reader.hh"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "blobs/core/copy_bytes.hh"
#include "blobs/core/hex_digits.hh"

namespace blobs {
namespace {

constexpr size_t uuid_bytes = 16;

constexpr std::array<char, 200> digit_pairs = [] {
    std::array<char, 200> pairs{};
    for (size_t i = 0; i < 100; ++i) {
        pairs[2 * i] = static_cast<char>('0' + i / 10);
        pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
}();

// What a number takes at most.
constexpr size_t number_size_max = 20;

// The lowest `width` digits, or, for width 0, as many as there are.
char* write_number(uint64_t value, size_t width, char* to) {
    std::array<char, number_size_max> digits;
    char* const end = digits.data() + digits.size();
    char* at = end;
    while (value >= 100) {
        at -= 2;
        std::memcpy(at, &digit_pairs[2 * (value % 100)], 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        std::memcpy(at, &digit_pairs[2 * value], 2);
    } else {
        *--at = static_cast<char>('0' + value);
    }
    if (width != 0) {
        assert(width <= digits_max);
        char* const from = end - width;
        if (at > from) {
            std::memset(from, '0', static_cast<size_t>(at - from));
        }
        at = from;
    }
    return std::copy(at, end, to);
}

} // namespace

void word_columns::begin(std::string_view text_bytes) {
    _text_bytes = text_bytes;
    _parts.clear();
    _numbers.clear();
    _places.clear();
    _words.clear();
    _dictionary.clear();
    _word_numbers.clear();
    _is_found.clear();
    _variables_count = 0;
}

bool word_columns::admit(size_t count, stream_readers& in) {
    _variables_count += count;
    if (!in.ok() || _variables_count > block_text_bytes_max || _words.size() > block_text_bytes_max) {
        in[stream::heads].set_failed();
        return false;
    }
    return true;
}

void word_columns::take_digits(part& p, size_t count, stream_readers& in) {
    auto& heads = in[stream::heads];
    p.form = heads.fixed<uint8_t>();
    if (p.form == static_cast<uint8_t>(digits_form::same_width)) {
        p.width = heads.fixed<uint8_t>();
    }
    const bool has_widths = p.form == static_cast<uint8_t>(digits_form::with_widths);
    p.numbers_begin = static_cast<uint32_t>(_numbers.size());
    _numbers.resize(_numbers.size() + count);
    const auto numbers = std::span(_numbers).subspan(p.numbers_begin);
    if (has_widths) {
        p.places_begin = static_cast<uint32_t>(_places.size());
        take_numbers(in, numbers);
        for (const uint64_t width : numbers) {
            if (width == 0 || width > digits_max) {
                heads.set_failed();
            }
            _places.push_back({0, static_cast<uint32_t>(width)});
        }
    }
    take_numbers(in, numbers);
    const bool is_same_width = p.form == static_cast<uint8_t>(digits_form::same_width);
    if (p.form > static_cast<uint8_t>(digits_form::with_widths) || p.width > digits_max || (is_same_width && p.width == 0)) {
        heads.set_failed();
    }
}

void word_columns::take_packed(part& p, size_t bytes_each, size_t count, stream_readers& in) {
    p.bytes = in[stream::stored].take(bytes_each * count).data();
}

void word_columns::take_texts(part& p, size_t count, stream_readers& in) {
    p.places_begin = static_cast<uint32_t>(_places.size());
    _codes.resize(count);
    take_numbers(in, _codes);
    const uint64_t most = in[stream::words].remaining();
    uint64_t end = 0;
    for (const uint64_t size : _codes) {
        if (size > most - end) {
            in[stream::heads].set_failed();
            return;
        }
        _places.push_back({static_cast<uint32_t>(end), static_cast<uint32_t>(size)});
        end += size;
    }
    p.bytes = in[stream::words].take(end).data();
}

void word_columns::take_parts(const text_template& shape, const template_slot& slot, size_t count, stream_readers& in) {
    for (uint32_t i = slot.parts_begin; i < slot.parts_end && count != 0; ++i) {
        if (!admit(count, in)) {
            return;
        }
        part p{.kind = shape.parts[i].kind};
        switch (p.kind) {
        case mask::digits: take_digits(p, count, in); break;
        case mask::uuid: take_packed(p, uuid_bytes, count, in); break;
        case mask::opaque: take_texts(p, count, in); break;
        case mask::hex:
            p.form = in[stream::heads].fixed<uint8_t>();
            if (p.form == static_cast<uint8_t>(hex_form::packed)) {
                p.width = in[stream::heads].fixed<uint8_t>();
                take_packed(p, p.width / 2, count, in);
            } else {
                take_texts(p, count, in);
            }
        }
        _parts.push_back(p);
    }
}

word_columns::column word_columns::take(std::string_view masked, const text_template& shape, const template_slot& slot,
                                        size_t count, stream_readers& in) {
    const auto form = in[stream::heads].fixed<uint8_t>();
    const auto parts_begin = static_cast<uint32_t>(_parts.size());
    if (form == static_cast<uint8_t>(word_form::parts)) {
        take_parts(shape, slot, count, in);
        return in.ok() ? finish_parts(parts_begin, shape, slot) : column();
    }
    if (form != static_cast<uint8_t>(word_form::dictionary) || !admit(count, in)) {
        in[stream::heads].set_failed();
        return {};
    }
    std::vector<uint64_t> codes(count);
    take_numbers(in, codes);
    take_parts(shape, slot, static_cast<size_t>(std::ranges::count(codes, 0u)), in);
    if (!in.ok()) {
        return {};
    }
    const auto new_words = finish_parts(parts_begin, shape, slot);
    const auto words_begin = static_cast<uint32_t>(_word_numbers.size());
    size_t new_count = 0;
    for (const uint64_t code : codes) {
        if (code == 0) {
            add_word(new_words, masked, shape, slot, new_count++);
        }
        if (code > _dictionary.size() || _words.size() > block_text_bytes_max) {
            in[stream::heads].set_failed();
            return {};
        }
        _word_numbers.push_back(static_cast<uint32_t>((code == 0 ? _dictionary.size() : code) - 1));
    }
    return {.form = word_form::dictionary, .begin = words_begin};
}

void word_columns::add_word(const column& from, std::string_view masked, const text_template& shape, const template_slot& slot,
                            size_t i) {
    const size_t begin = _words.size();
    _words.resize(begin + size_max(from, i));
    const char* const end = write(from, masked, shape, slot, i, _words.data() + begin);
    _words.resize(static_cast<size_t>(end - _words.data()));
    _dictionary.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(_words.size() - begin)});
}

word_columns::column word_columns::finish_parts(size_t parts_begin, const text_template& shape, const template_slot& slot) const {
    column made{.begin = static_cast<uint32_t>(parts_begin), .bytes_max = slot.tail.size};
    made.parts_count = static_cast<uint32_t>(_parts.size() - parts_begin);
    for (uint32_t p = 0; p < made.parts_count; ++p) {
        const auto& part = _parts[parts_begin + p];
        made.has_texts |= part.is_text();
        made.bytes_max += shape.parts[slot.parts_begin + p].before.size;
        made.bytes_max += part.kind == mask::digits ? number_size_max : part.kind == mask::uuid ? uuid_size : part.width;
    }
    return made;
}

size_t word_columns::size_max(const column& from, size_t i) const {
    if (from.form == word_form::dictionary) {
        return dictionary_word(from, i).size;
    }
    size_t size = from.bytes_max;
    for (uint32_t p = 0; from.has_texts && p < from.parts_count; ++p) {
        const auto& part = _parts[from.begin + p];
        size += part.is_text() ? _places[part.places_begin + i].size : 0;
    }
    return size;
}

char* word_columns::write_part(const part& p, size_t i, char* to) const {
    if (p.kind == mask::digits) {
        const bool has_widths = p.form == static_cast<uint8_t>(digits_form::with_widths);
        return write_number(_numbers[p.numbers_begin + i], has_widths ? _places[p.places_begin + i].size : p.width, to);
    }
    if (p.kind == mask::uuid) {
        return write_uuid({p.bytes + uuid_bytes * i, uuid_bytes}, to);
    }
    if (p.is_text()) {
        const auto place = _places[p.places_begin + i];
        return copy_bytes({p.bytes + place.begin, place.size}, to);
    }
    const size_t half = p.width / 2;
    return write_hex({p.bytes + half * i, half}, to);
}

char* word_columns::write(const column& from, std::string_view masked, const text_template& shape, const template_slot& slot,
                          size_t i, char* to) const {
    if (from.form == word_form::dictionary) {
        return copy_bytes(view(_words, dictionary_word(from, i)), to);
    }
    for (uint32_t p = 0; p < from.parts_count; ++p) {
        to = copy_bytes(view(masked, shape.parts[slot.parts_begin + p].before), to);
        to = write_part(_parts[from.begin + p], i, to);
    }
    return copy_bytes(view(masked, slot.tail), to);
}

} // namespace blobs

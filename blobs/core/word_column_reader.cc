#include "blobs/core/word_column_reader.hh"

#include <algorithm>
#include <array>
#include <cassert>

#include "blobs/core/hex_digits.hh"

namespace blobs {
namespace {

constexpr size_t uuid_bytes = 16;

// The lowest `width` digits, or, for width 0, as many as there are.
void append_number(uint64_t value, size_t width, std::string& out) {
    std::array<char, 20> digits;
    char* const end = digits.data() + digits.size();
    char* at = end;
    do {
        *--at = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    if (width != 0) {
        assert(width <= digits_max);
        char* const from = end - width;
        while (at > from) {
            *--at = '0';
        }
        at = from;
    }
    out.append(at, static_cast<size_t>(end - at));
}

} // namespace

void word_columns::clear() {
    _parts.clear();
    _numbers.clear();
    _places.clear();
    _words.clear();
    _dictionary.clear();
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
        return {.form = word_form::parts, .begin = parts_begin};
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
    const auto words_begin = static_cast<uint32_t>(_places.size());
    size_t new_count = 0;
    for (const uint64_t code : codes) {
        if (code == 0) {
            const auto begin = static_cast<uint32_t>(_words.size());
            append_parts(parts_begin, masked, shape, slot, new_count++, _words);
            _dictionary.push_back({begin, static_cast<uint32_t>(_words.size() - begin)});
        }
        if (code > _dictionary.size() || !admit(0, in)) {
            in[stream::heads].set_failed();
            return {};
        }
        _places.push_back(_dictionary[code == 0 ? _dictionary.size() - 1 : code - 1]);
    }
    return {.form = word_form::dictionary, .begin = words_begin};
}

void word_columns::append_part(const part& p, size_t i, std::string& out) const {
    switch (p.kind) {
    case mask::digits: {
        const bool has_widths = p.form == static_cast<uint8_t>(digits_form::with_widths);
        return append_number(_numbers[p.numbers_begin + i], has_widths ? _places[p.places_begin + i].size : p.width, out);
    }
    case mask::uuid: {
        std::array<char, uuid_size> text;
        write_uuid({p.bytes + uuid_bytes * i, uuid_bytes}, text.data());
        out.append(text.data(), text.size());
        return;
    }
    case mask::hex:
        if (p.form == static_cast<uint8_t>(hex_form::packed)) {
            std::array<char, UINT8_MAX + 1> text;
            const size_t half = p.width / 2;
            write_hex({p.bytes + half * i, half}, text.data());
            out.append(text.data(), 2 * half);
            return;
        }
        [[fallthrough]];
    case mask::opaque: {
        const auto place = _places[p.places_begin + i];
        out.append(p.bytes + place.begin, place.size);
    }
    }
}

void word_columns::append_parts(size_t parts_begin, std::string_view masked, const text_template& shape,
                                const template_slot& slot, size_t i, std::string& out) const {
    for (uint32_t p = slot.parts_begin; p < slot.parts_end; ++p) {
        out += view(masked, shape.parts[p].before);
        append_part(_parts[parts_begin + (p - slot.parts_begin)], i, out);
    }
    out += view(masked, slot.tail);
}

void word_columns::append(const column& from, std::string_view masked, const text_template& shape, const template_slot& slot,
                          size_t i, std::string& out) const {
    if (from.form == word_form::parts) {
        return append_parts(from.begin, masked, shape, slot, i, out);
    }
    out += view(_words, _places[from.begin + i]);
}

} // namespace blobs

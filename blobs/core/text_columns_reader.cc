#include "blobs/core/text_columns_reader.hh"

#include "blobs/core/copy_bytes.hh"

namespace blobs {
namespace {

// Sizes are counted generously before a text is written: twenty bytes for a digit.
constexpr size_t text_size_max_max = 32 * text_bytes_max;

} // namespace

bool text_columns::take_templates(stream_readers& in) {
    auto& heads = in[stream::heads];
    const uint64_t count = heads.varint();
    if (!in.ok() || count > block_records_max) {
        heads.set_failed();
        return false;
    }
    _values.resize(count);
    take_numbers(in, _values);
    _templates.clear();
    for (const uint64_t size : _values) {
        const auto masked = in[stream::templates].take(size);
        if (!in.ok()) {
            return false;
        }
        _templates.push_back({.masked = masked, .shape = text_template::parse(masked)});
    }
    return true;
}

bool text_columns::take_untemplated(size_t count, stream_readers& in) {
    _values.resize(count);
    take_numbers(in, _values);
    _untemplated.clear();
    uint64_t end = 0;
    const uint64_t most = in[stream::texts].remaining();
    for (const uint64_t size : _values) {
        if (!in.ok() || size > most - end) {
            in[stream::heads].set_failed();
            return false;
        }
        _untemplated.push_back({static_cast<uint32_t>(end), static_cast<uint32_t>(size)});
        end += size;
    }
    _untemplated_bytes = in[stream::texts].take(end);
    return in.ok();
}

void text_columns::take(size_t count, stream_readers& in) {
    _texts.clear();
    _columns.clear();
    _words.begin(in[stream::words].rest());
    if (!take_templates(in)) {
        return;
    }
    _values.resize(count);
    take_numbers(in, _values);
    uint32_t untemplated_count = 0;
    for (const uint64_t shape : _values) {
        if (!in.ok() || shape > _templates.size()) {
            in[stream::heads].set_failed();
            return;
        }
        auto& of_this = shape == 0 ? untemplated_count : _templates[shape - 1].texts_count;
        _texts.push_back({static_cast<uint32_t>(shape), of_this++});
    }
    if (!take_untemplated(untemplated_count, in)) {
        return;
    }
    for (auto& t : _templates) {
        t.columns_begin = static_cast<uint32_t>(_columns.size());
        for (const auto& slot : t.shape.slots) {
            _columns.push_back(_words.take(t.masked, t.shape, slot, t.texts_count, in));
            if (!in.ok()) {
                return;
            }
        }
    }
}

bool text_columns::append(size_t i, std::string& out) const {
    const auto& text = _texts[i];
    if (text.shape == 0) {
        const auto bytes = view(_untemplated_bytes, _untemplated[text.rank]);
        out += bytes;
        return bytes.size() <= text_bytes_max;
    }
    const auto& t = _templates[text.shape - 1];
    size_t size_max = t.masked.size();
    for (size_t s = 0; s < t.shape.slots.size(); ++s) {
        size_max += _words.size_max(_columns[t.columns_begin + s], text.rank);
        if (size_max > text_size_max_max) {
            return false;
        }
    }
    const size_t begin = out.size();
    out.resize_and_overwrite(
        begin + size_max, [&](char* bytes, size_t) { return static_cast<size_t>(write(t, text.rank, bytes + begin) - bytes); });
    return out.size() - begin <= text_bytes_max;
}

char* text_columns::write(const template_info& t, size_t rank, char* to) const {
    for (size_t s = 0; s < t.shape.slots.size(); ++s) {
        const auto& slot = t.shape.slots[s];
        to = copy_bytes(view(t.masked, slot.gap), to);
        to = _words.write(_columns[t.columns_begin + s], t.masked, t.shape, slot, rank, to);
    }
    return copy_bytes(view(t.masked, t.shape.tail), to);
}

bool text_columns::make_keys(size_t t, std::span<uint64_t> keys) {
    const auto& from = _templates[t];
    uint64_t range = 1;
    for (size_t s = 0; s < from.shape.slots.size(); ++s) {
        if (!_words.add_sizes(_columns[from.columns_begin + s], from.shape, from.shape.slots[s], keys, range)) {
            return false;
        }
    }
    return true;
}

void text_columns::find(size_t t, std::string_view piece, std::span<uint8_t> found) {
    const auto& from = _templates[t];
    for (size_t s = 0; s < from.shape.slots.size(); ++s) {
        _words.find(_columns[from.columns_begin + s], from.masked, from.shape, from.shape.slots[s], piece, found);
    }
}

} // namespace blobs

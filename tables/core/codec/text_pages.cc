#include "tables/core/codec/text_pages.hh"

#include <algorithm>
#include <cassert>

namespace tables::codec {
namespace {

std::vector<int64_t> lengths_of(const texts& t) {
    std::vector<int64_t> lengths(t.size());
    for (size_t i = 0; i < lengths.size(); ++i) {
        lengths[i] = t.offsets[i + 1] - t.offsets[i];
    }
    return lengths;
}

size_t page_end(const texts& t, size_t begin) {
    size_t end = begin;
    while (end < t.size() && end - begin < page_texts_max &&
           static_cast<size_t>(t.offsets[end] - t.offsets[begin]) < page_bytes_target) {
        ++end;
    }
    return end;
}

constexpr size_t page_bytes_max = page_bytes_target + text_bytes_max;

struct page_sizes {
    size_t all = 0;
    size_t before = 0; // of the texts before `begin`
    size_t wanted = 0; // of texts [begin, end)
};

// Nothing when these cannot be lengths of the texts of one page.
std::optional<page_sizes> measure(std::span<const int64_t> lengths, size_t begin, size_t end) {
    page_sizes sizes;
    for (size_t i = 0; i < lengths.size(); ++i) {
        if (lengths[i] < 0 || static_cast<uint64_t>(lengths[i]) > page_bytes_max - sizes.all) {
            return std::nullopt;
        }
        const auto length = static_cast<size_t>(lengths[i]);
        sizes.all += length;
        sizes.before += i < begin ? length : 0;
        sizes.wanted += i >= begin && i < end ? length : 0;
    }
    return sizes;
}

} // namespace

void encode_text_pages(const texts& t, zstd_compressor& zstd, std::string& out) {
    assert(t.size() <= column_values_max && t.bytes.size() <= column_text_bytes_max);
    if (t.empty()) {
        return;
    }
    std::string lengths;
    encode_int_column(lengths_of(t), lengths);
    base::put_bytes(out, lengths);
    std::string pages;
    for (size_t begin = 0; begin < t.size();) {
        const size_t end = page_end(t, begin);
        const auto raw = std::string_view(t.bytes).substr(static_cast<size_t>(t.offsets[begin]),
                                                          static_cast<size_t>(t.offsets[end] - t.offsets[begin]));
        const size_t before = pages.size();
        const bool is_compressed = zstd.compress(raw, pages);
        if (!is_compressed) {
            pages += raw;
        }
        base::put_varint(out, end - begin);
        base::put_varint(out, 2 * (pages.size() - before) + (is_compressed ? 1 : 0));
        begin = end;
    }
    out += pages;
}

std::optional<text_pages> text_pages::open(std::string_view bytes, size_t count) {
    text_pages result;
    if (count == 0) {
        return bytes.empty() ? std::optional(result) : std::nullopt;
    }
    base::byte_reader in(bytes);
    const auto lengths = int_column::open(in.bytes(), count);
    if (!in.ok() || !lengths) {
        return std::nullopt;
    }
    result._lengths = *lengths;
    std::vector<uint64_t> sizes;
    for (size_t begin = 0; begin < count;) {
        const uint64_t texts_count = in.varint();
        const uint64_t stored = in.varint();
        if (!in.ok() || texts_count == 0 || texts_count > std::min(count - begin, page_texts_max)) {
            return std::nullopt;
        }
        result._pages.push_back({begin, begin + texts_count, (stored & 1) != 0, {}});
        sizes.push_back(stored / 2);
        begin += texts_count;
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
        result._pages[i].stored = in.take(sizes[i]);
    }
    return in.done() ? std::optional(std::move(result)) : std::nullopt;
}

bool text_pages::decode(size_t begin, size_t end, zstd_decompressor& zstd, texts& out) const {
    assert(begin <= end && end <= size());
    out.offsets.reserve(out.offsets.size() + (end - begin));
    auto page = std::ranges::upper_bound(_pages, begin, {}, &page::end);
    for (; begin < end; ++page) {
        const size_t stop = std::min(end, page->end);
        if (!decode_page(*page, begin, stop, zstd, out)) {
            return false;
        }
        begin = stop;
    }
    return true;
}

bool text_pages::decode_page(const page& p, size_t begin, size_t end, zstd_decompressor& zstd, texts& out) const {
    std::vector<int64_t> lengths(p.end - p.begin);
    if (!_lengths.decode(p.begin, lengths)) {
        return false;
    }
    const auto sizes = measure(lengths, begin - p.begin, end - p.begin);
    if (!sizes || out.bytes.size() + sizes->wanted > column_text_bytes_max) {
        return false;
    }
    const auto before = out.bytes.size();
    if (p.is_compressed && sizes->wanted == sizes->all) { // straight to where it is wanted
        out.bytes.resize(before + sizes->all);
        if (!zstd.decompress(p.stored, std::span(out.bytes).subspan(before))) {
            out.bytes.resize(before);
            return false;
        }
    } else {
        std::string scratch;
        auto raw = p.stored;
        if (p.is_compressed) {
            scratch.resize(sizes->all);
            raw = scratch;
            if (!zstd.decompress(p.stored, scratch)) {
                return false;
            }
        }
        if (raw.size() != sizes->all) {
            return false;
        }
        out.bytes += raw.substr(sizes->before, sizes->wanted);
    }
    auto offset = static_cast<int32_t>(before);
    for (size_t i = begin; i < end; ++i) {
        out.offsets.push_back(offset += static_cast<int32_t>(lengths[i - p.begin]));
    }
    return true;
}

} // namespace tables::codec

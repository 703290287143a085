#include "tables/core/codec/text_front.hh"

#include <algorithm>
#include <cassert>
#include <vector>

namespace tables::codec {
namespace {

size_t shared_bytes(std::string_view a, std::string_view b) {
    return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

} // namespace

void encode_text_front(const texts& values, zstd_compressor& zstd, std::string& out) {
    if (values.empty()) {
        return;
    }
    std::vector<int64_t> shared(values.size());
    texts rests;
    for (size_t i = 0; i < values.size(); ++i) {
        assert(values[i].size() <= front_text_bytes_max);
        const size_t common = i % restart_every == 0 ? 0 : shared_bytes(values[i - 1], values[i]);
        shared[i] = static_cast<int64_t>(common);
        rests.push_back(values[i].substr(common));
    }
    std::string coded;
    encode_int_column(shared, coded);
    base::put_bytes(out, coded);
    encode_text_pages(rests, zstd, out);
}

std::optional<text_front> text_front::open(std::string_view bytes, size_t count) {
    text_front result;
    if (count == 0) {
        return bytes.empty() ? std::optional(result) : std::nullopt;
    }
    base::byte_reader in(bytes);
    const auto shared = int_column::open(in.bytes(), count);
    if (!in.ok() || !shared) {
        return std::nullopt;
    }
    auto rests = text_pages::open(in.rest(), count);
    if (!rests) {
        return std::nullopt;
    }
    result._shared = *shared;
    result._rests = std::move(*rests);
    return result;
}

bool text_front::decode(size_t begin, size_t end, zstd_decompressor& zstd, texts& out) const {
    assert(begin <= end && end <= size());
    const size_t start = begin - begin % restart_every;
    std::vector<int64_t> shared(end - start);
    texts rests;
    if (!_shared.decode(start, shared) || !_rests.decode(start, end, zstd, rests)) {
        return false;
    }
    out.offsets.reserve(out.offsets.size() + (end - begin));
    std::string text;
    for (size_t i = 0; i < shared.size(); ++i) {
        const size_t reach = (start + i) % restart_every == 0 ? 0 : text.size();
        if (shared[i] < 0 || static_cast<uint64_t>(shared[i]) > reach) {
            return false;
        }
        text.resize(static_cast<size_t>(shared[i]));
        text += rests[i];
        if (text.size() > front_text_bytes_max || out.bytes.size() + text.size() > column_text_bytes_max) {
            return false;
        }
        if (start + i >= begin) {
            out.push_back(text);
        }
    }
    return true;
}

} // namespace tables::codec

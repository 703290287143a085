#include "tables/core/codec/text_dictionary.hh"

#include <bit>
#include <cassert>

#include "base/checksum.hh"

namespace tables::codec {
namespace {

// Text -> code, open addressing over the entries. Never more than half full.
class code_table {
public:
    code_table(const texts& entries, size_t entries_max)
        : _entries(entries), _slots(std::bit_ceil(2 * (entries_max + 1)), no_code) {}

    // The slot of this text: it has the text's code, or no_code and is where one would go.
    int32_t& find(std::string_view text) {
        const size_t mask = _slots.size() - 1;
        size_t at = base::stable_hash(text) & mask;
        while (_slots[at] != no_code && _entries[static_cast<size_t>(_slots[at])] != text) {
            at = (at + 1) & mask;
        }
        return _slots[at];
    }

    static constexpr int32_t no_code = -1;

private:
    const texts& _entries;
    std::vector<int32_t> _slots;
};

} // namespace

std::optional<text_index> index_texts(const texts& values, size_t entries_max) {
    text_index index;
    code_table table(index.entries, entries_max);
    index.codes.reserve(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        auto& code = table.find(values[i]);
        if (code == code_table::no_code) {
            if (index.entries.size() == entries_max) {
                return std::nullopt;
            }
            code = static_cast<int32_t>(index.entries.size());
            index.entries.push_back(values[i]);
        }
        index.codes.push_back(code);
    }
    return index;
}

void encode_text_dictionary(const text_index& index, zstd_compressor& zstd, std::string& out) {
    assert(!index.codes.empty());
    base::put_varint(out, index.entries.size());
    std::string codes;
    encode_int_column(index.codes, codes);
    base::put_bytes(out, codes);
    encode_text_pages(index.entries, zstd, out);
}

std::optional<text_dictionary> text_dictionary::open(std::string_view bytes, size_t count) {
    base::byte_reader in(bytes);
    const uint64_t entries_count = in.varint();
    const auto codes = int_column::open(in.bytes(), count);
    if (!in.ok() || !codes || entries_count > count) {
        return std::nullopt;
    }
    auto entries = text_pages::open(in.rest(), entries_count);
    if (!entries) {
        return std::nullopt;
    }
    text_dictionary result;
    result._codes = *codes;
    result._entries = std::move(*entries);
    return result;
}

bool text_dictionary::decode(size_t begin, size_t end, zstd_decompressor& zstd, texts& out) const {
    assert(begin <= end && end <= size());
    texts entries;
    std::vector<int64_t> codes(end - begin);
    if (!_entries.decode(0, _entries.size(), zstd, entries) || !_codes.decode(begin, codes)) {
        return false;
    }
    out.offsets.reserve(out.offsets.size() + codes.size());
    for (const int64_t code : codes) {
        if (code < 0 || static_cast<uint64_t>(code) >= entries.size()) {
            return false;
        }
        const auto text = entries[static_cast<size_t>(code)];
        if (out.bytes.size() + text.size() > column_text_bytes_max) {
            return false;
        }
        out.push_back(text);
    }
    return true;
}

} // namespace tables::codec

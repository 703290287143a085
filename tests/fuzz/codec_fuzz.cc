// Every codec on bytes from anywhere: it refuses them, or gives exactly as many values as were asked for. Then the other way
// round: the bytes as values, coded and decoded, are the same. The first byte picks the codec, the next two the count.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tables/core/codec/bitmap.hh"
#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/real_column.hh"
#include "tables/core/codec/text_column.hh"
#include "tables/core/codec/text_front.hh"

using namespace tables::codec;

static void check(bool is_good) {
    if (!is_good) {
        std::abort();
    }
}

template <class T>
static std::vector<T> as_values(std::string_view bytes) {
    std::vector<T> values(std::min(bytes.size() / sizeof(T), column_values_max));
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    }
    return values;
}

template <class Column, class T>
static void numbers(std::string_view bytes, size_t count, void (*encode)(std::span<const T>, std::string&)) {
    if (const auto column = Column::open(bytes, count)) {
        std::vector<T> out(count);
        std::vector<T> last(std::min<size_t>(count, 1));
        if (column->decode(0, out) && !last.empty()) {
            check(column->decode(count - 1, last) && std::memcmp(&last[0], &out.back(), sizeof(T)) == 0);
        }
    }
    const auto values = as_values<T>(bytes);
    std::string coded;
    encode(values, coded);
    std::vector<T> back(values.size());
    const auto column = Column::open(coded, values.size());
    check(column && column->decode(0, back));
    check(values.empty() || std::memcmp(back.data(), values.data(), values.size() * sizeof(T)) == 0);
}

// Small steps: what has codes.
static void walks(std::string_view bytes) {
    std::vector<int64_t> values;
    int64_t at = 0;
    for (const char c : bytes.substr(0, column_values_max)) {
        values.push_back(at += c % 64);
    }
    std::string coded;
    encode_int_column(values, coded);
    std::vector<int64_t> back(values.size());
    const auto column = int_column::open(coded, values.size());
    check(column && column->decode(0, back) && back == values);
}

static void bits(std::string_view bytes, size_t count) {
    bitmap out;
    check(!decode_bitmap(bytes, count, out) || out.size() == count);
    bitmap values;
    for (const char c : bytes) {
        values.append(static_cast<uint8_t>(c) >> 1, (c & 1) != 0);
        if (values.size() > column_values_max - 128) {
            break;
        }
    }
    std::string coded;
    encode_bitmap(values, coded);
    check(decode_bitmap(coded, values.size(), out) && out == values);
}

// Cut at every byte whose value is below sixteen.
static texts as_texts(std::string_view bytes) {
    texts values;
    size_t begin = 0;
    for (size_t i = 0; i < bytes.size() && values.size() < column_values_max; ++i) {
        if (static_cast<uint8_t>(bytes[i]) < 16) {
            values.push_back(bytes.substr(begin, std::min<size_t>(i - begin, front_text_bytes_max)));
            begin = i;
        }
    }
    return values;
}

template <class Column>
static void strings(std::string_view bytes, size_t count, void (*encode)(const texts&, zstd_compressor&, std::string&)) {
    static zstd_compressor compressor;
    static zstd_decompressor decompressor;
    if (const auto column = Column::open(bytes, count)) {
        texts out;
        if (column->decode(0, count, decompressor, out)) {
            check(out.size() == count && out.bytes.size() <= column_text_bytes_max);
        }
    }
    const auto values = as_texts(bytes);
    std::string coded;
    encode(values, compressor, coded);
    texts back;
    const auto column = Column::open(coded, values.size());
    check(column && column->decode(0, values.size(), decompressor, back) && back == values);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 3) {
        return 0;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
    const size_t count = data[1] + 256u * (data[2] % 32);
    switch (data[0] % 6) {
    case 0:
        numbers<int_column, int64_t>(bytes, count, encode_int_column);
        walks(bytes);
        break;
    case 1: numbers<real_column, double>(bytes, count, encode_real_column); break;
    case 2: bits(bytes, count); break;
    case 3: strings<text_column>(bytes, count, encode_text_column); break;
    case 4: strings<text_front>(bytes, count, encode_text_front); break;
    case 5: strings<text_pages>(bytes, count, encode_text_pages); break;
    }
    return 0;
}

#include "ingest/core/gunzip.hh"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

namespace {

using ingest::gunzip;

std::string gzip(const std::string& text) {
    z_stream stream{};
    ::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(::deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<unsigned>(text.size());
    stream.next_out = reinterpret_cast<unsigned char*>(out.data());
    stream.avail_out = static_cast<unsigned>(out.size());
    ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
}

// Fed in pieces of `step` bytes.
std::string inflate(gunzip& g, std::string_view input, size_t step) {
    std::string out;
    while (!input.empty()) {
        auto piece = input.substr(0, step);
        input.remove_prefix(piece.size());
        for (;;) {
            const auto inflated = g.next(piece);
            if (!inflated) {
                return "fault";
            }
            EXPECT_LE(inflated->size(), gunzip::piece_bytes);
            if (inflated->empty()) {
                break;
            }
            out += *inflated;
        }
    }
    return out;
}

TEST(gunzip, any_cut_gives_the_same_bytes) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) {
        text += "cpu,host=h" + std::to_string(i % 7) + " v=" + std::to_string(i * i) + "\n";
    }
    const auto packed = gzip(text);
    for (size_t step : {size_t{1}, size_t{7}, size_t{4096}, packed.size()}) {
        gunzip g;
        ASSERT_EQ(inflate(g, packed, step), text) << step;
        EXPECT_TRUE(g.is_whole());
    }
}

TEST(gunzip, streams_behind_one_another_are_one) {
    gunzip g;
    EXPECT_EQ(inflate(g, gzip("one ") + gzip("two"), 5), "one two");
    EXPECT_TRUE(g.is_whole());
}

TEST(gunzip, half_a_stream_is_not_whole) {
    gunzip g;
    const auto packed = gzip(std::string(1000, 'x'));
    inflate(g, std::string_view(packed).substr(0, packed.size() - 3), 64);
    EXPECT_FALSE(g.is_whole());
    EXPECT_FALSE(gunzip().is_whole());
}

TEST(gunzip, what_is_no_gzip_is_a_fault) {
    gunzip g;
    EXPECT_EQ(inflate(g, "cpu v=1\n", 8), "fault");
    auto damaged = gzip(std::string(1000, 'x') + "abc");
    damaged[damaged.size() - 6] ^= 1; // of the checksum
    gunzip h;
    EXPECT_EQ(inflate(h, damaged, 64), "fault");
}

TEST(gunzip, a_bomb_ends_at_the_limit) {
    constexpr uint64_t bytes_max = 1 << 20;
    const auto packed = gzip(std::string(4 << 20, '\0'));
    gunzip g(bytes_max);
    std::string_view input = packed;
    uint64_t bytes = 0;
    auto piece = g.next(input);
    for (; piece && !piece->empty(); piece = g.next(input)) {
        bytes += piece->size();
    }
    ASSERT_FALSE(piece);
    EXPECT_EQ(piece.error(), gunzip::fault::too_large);
    EXPECT_LE(bytes, bytes_max);
}

} // namespace

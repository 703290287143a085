#include "blobs/core/file/blob_directory.hh"

#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

namespace {

using namespace blobs;

blob_directory sample() {
    blob_directory d;
    uint64_t at = 0;
    for (uint64_t i = 0; i < 5; ++i) {
        d.blobs.push_back({.identity = {fmt::format("source {}", i), base::unix_epoch, i},
                           .extent = {at, 100 + i},
                           .records_count = i,
                           .raw_bytes = 1'000 * i,
                           .first_ns = -5,
                           .last_ns = static_cast<int64_t>(i),
                           .levels = 3});
        at += 100 + i;
    }
    return d;
}

TEST(blob_directory, a_file_speaks_for_itself) {
    const auto d = sample();
    std::string file(d.blobs.back().extent.end(), 'x');
    d.encode(file);
    const auto bytes = blob_directory::end_bytes(std::string_view(file).substr(file.size() - blob_directory::tail_bytes));
    ASSERT_TRUE(bytes);
    const auto again = blob_directory::parse(std::string_view(file).substr(file.size() - *bytes), file.size());
    ASSERT_TRUE(again) << base::to_string(again.error());
    EXPECT_EQ(again->blobs, d.blobs);
}

TEST(blob_directory, no_flipped_bit_passes) {
    const auto d = sample();
    std::string end;
    d.encode(end);
    for (size_t bit = 0; bit < end.size() * 8; ++bit) {
        auto damaged = end;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        EXPECT_FALSE(blob_directory::parse(damaged, 10'000)) << "bit " << bit;
    }
}

TEST(blob_directory, a_list_out_of_bounds_is_refused) {
    auto overlapping = sample();
    overlapping.blobs[1].extent.offset = 5;
    std::string list;
    overlapping.encode_list(list);
    EXPECT_FALSE(blob_directory::parse_list(list));
    EXPECT_FALSE(blob_directory::parse_list(""));
    auto beyond = sample();
    std::string end;
    beyond.encode(end);
    EXPECT_FALSE(blob_directory::parse(end, end.size()));
}

} // namespace

#include "blobs/core/blob_merge.hh"

#include <gtest/gtest.h>

#include "blobs/core/record_buffer.hh"
#include "tests/unit/blobs/sample_blob.hh"

namespace blobs {
namespace {

using test::owned_record;

std::string merged(const std::vector<std::string>& files, size_t& errors) {
    std::vector<blob_view> views;
    std::vector<const blob_view*> inputs;
    for (const auto& file : files) {
        views.push_back(*test::open_blob(file));
    }
    for (const auto& view : views) {
        inputs.push_back(&view);
    }
    blob_merge merge(inputs);
    block_builder block(zstd_level_merge);
    blob_builder builder({"web", base::unix_epoch, 1}, 3, block);
    std::string out;
    while (!merge.is_done()) {
        if (const auto turn = merge.next()) {
            if (!merge.bring(*turn, std::string(test::bytes_of(files[turn->input], turn->extent)))) {
                ++errors;
                merge.skip(*turn);
            }
        }
        for (bool more = true; more;) {
            const auto stepped = merge.step(builder);
            errors += stepped ? 0 : 1;
            test::drain(builder, out);
            more = stepped && *stepped;
        }
    }
    builder.finish();
    test::drain(builder, out);
    return out;
}

std::vector<uint64_t> sequences(std::string_view file) {
    const auto blob = test::open_blob(file);
    std::vector<uint64_t> found;
    block_reader reader;
    for (size_t b = 0; b < blob->blocks().size(); ++b) {
        EXPECT_TRUE(blob->open_block(b, test::bytes_of(file, blob->blocks()[b].extent), reader));
        for (size_t i = 0; i < reader.size(); ++i) {
            found.push_back(reader.order(i).sequence);
        }
    }
    return found;
}

TEST(blob_merge, interleaved_blobs_become_the_blob_of_all) {
    const uint64_t seed = 71;
    const auto records = test::record_source(seed).records(12'000, 10);
    test::record_source random(seed);
    std::vector<std::vector<owned_record>> parts(4);
    for (const auto& r : records) {
        parts[random.below(parts.size())].push_back(r);
    }
    std::vector<std::string> files;
    for (const auto& part : parts) {
        files.push_back(test::make_blob(part));
    }
    size_t errors = 0;
    const auto file = merged(files, errors);
    EXPECT_EQ(errors, 0u);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob);
    std::string raw;
    block_reader reader;
    for (size_t b = 0; b < blob->blocks().size(); ++b) {
        ASSERT_TRUE(blob->open_block(b, test::bytes_of(file, blob->blocks()[b].extent), reader));
        ASSERT_TRUE(reader.read_raw(raw));
    }
    EXPECT_EQ(raw, test::raw_text(records)) << "seed " << seed;
}

TEST(blob_merge, the_same_time_is_ordered_by_lane_and_sequence) {
    std::vector<owned_record> first(3);
    std::vector<owned_record> second(3);
    for (uint64_t i = 0; i < 3; ++i) {
        first[i].order = {5, 1, 10 + i};
        second[i].order = {5, 0, 20 + i};
    }
    size_t errors = 0;
    EXPECT_EQ(sequences(merged({test::make_blob(first), test::make_blob(second)}, errors)),
              (std::vector<uint64_t>{20, 21, 22, 10, 11, 12}));
}

TEST(blob_merge, blobs_one_after_another_have_one_block_open) {
    const auto records = test::record_source(72).records(300, 0);
    const auto a = test::make_blob(std::span(records).first(100));
    const auto b = test::make_blob(std::span(records).subspan(100, 200));
    const auto first = test::open_blob(a);
    const auto second = test::open_blob(b);
    const std::vector<const blob_view*> inputs{&*second, &*first};
    blob_merge merge(inputs);
    const auto turn = merge.next();
    ASSERT_TRUE(turn);
    EXPECT_EQ(turn->input, 1u) << "the earlier one";
    ASSERT_TRUE(merge.bring(*turn, std::string(test::bytes_of(a, turn->extent))));
    EXPECT_FALSE(merge.next()) << "the later one can wait";
}

TEST(blob_merge, a_damaged_block_is_left_out_and_told) {
    const auto records = test::record_source(73).records(300, 0);
    auto a = test::make_blob(std::span(records).first(100));
    a[20] = static_cast<char>(a[20] ^ 1);
    size_t errors = 0;
    const auto found = sequences(merged({a, test::make_blob(std::span(records).subspan(100))}, errors));
    EXPECT_EQ(errors, 1u);
    EXPECT_EQ(found.size(), 200u);
}

TEST(record_buffer, records_that_come_late_are_read_in_their_order) {
    const uint64_t seed = 81;
    auto records = test::record_source(seed).records(3'000, 20);
    test::record_source random(seed);
    std::vector<size_t> arrival(records.size());
    for (size_t i = 0; i < arrival.size(); ++i) {
        arrival[i] = i;
        std::swap(arrival[i], arrival[i - random.below(std::min<size_t>(i + 1, 50))]);
    }
    record_buffer buffer;
    std::vector<base::property> fields;
    std::vector<base::property> other;
    for (size_t n = 0; n < arrival.size(); ++n) {
        test::add_to(buffer, records[arrival[n]].view(fields));
        if (n % 500 == 0) {
            buffer.sort();
        }
    }
    buffer.sort();
    ASSERT_EQ(buffer.size(), records.size());
    EXPECT_EQ(buffer.raw_bytes(), test::raw_text(records).size());
    for (size_t i = 0; i < records.size(); ++i) {
        ASSERT_TRUE(same_content(buffer.read(i, fields), records[i].view(other))) << "seed " << seed << " record " << i;
    }
}

// As two senders whose clocks differ a little.
TEST(record_buffer, however_many_came_out_of_order_little_is_left_to_sort) {
    record_buffer buffer;
    record r{.text = "one line"};
    std::string coded;
    put_record(r, coded);
    for (int64_t i = 0; i < 100'000; ++i) {
        r.order = {.time_ns = i % 2 == 0 ? i : i - 1'000, .sequence = static_cast<uint64_t>(i)};
        buffer.add(r, coded);
        ASSERT_LT(buffer.unsorted_count(), 5'000u);
    }
    EXPECT_GT(buffer.unsorted_count(), 0u);
    buffer.sort();
    EXPECT_EQ(buffer.unsorted_count(), 0u);
    for (size_t i = 1; i < buffer.size(); ++i) {
        ASSERT_LT(buffer.order(i - 1), buffer.order(i));
    }
}

TEST(record_buffer, a_tiny_source_takes_little_memory) {
    record_buffer buffer;
    test::add_to(buffer, {.text = "one line"});
    EXPECT_LE(buffer.memory_bytes(), 5'000u);
}

} // namespace
} // namespace blobs

// Files of all versions, which every later program reads. DOWNTICK_WRITE_GOLDEN=folder writes those of the last one anew.

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "blobs/core/record_batch.hh"
#include "tests/lib/source_folder.hh"
#include "tests/unit/blobs/sample_blob.hh"

namespace blobs {
namespace {

using test::owned_record;

// By hand: what a random source makes would change with its library.
std::vector<owned_record> golden_records() {
    std::vector<owned_record> records;
    const std::string ids[] = {"38101a0b-2096-447d-96ea-a692162415ae", "9bc36dd9-91c5-4314-898a-47625eb93b09"};
    for (uint64_t i = 0; i < 40; ++i) {
        owned_record r;
        r.order = {1'794'821'400'000'000'000 + static_cast<int64_t>(i) * 250'000'000, static_cast<uint32_t>(i / 30), i};
        r.level = static_cast<uint8_t>(i % levels_count);
        r.host = i % 3 == 0 ? "alpha" : "beta";
        r.app = "sshd";
        switch (i % 5) {
        case 0:
            r.text = "<34>1 2026-11-16T09:30:0" + std::to_string(i / 5) +
                     ".250Z alpha sshd 24200 - - Failed password from 173.234.31." + std::to_string(i);
            break;
        case 1:
            r.text = "[req-" + ids[i % 2] + "] GET /v2/54fadb412c4e40cd status: 200 len: " + std::to_string(1'800 + 37 * i);
            break;
        case 2: r.text = "first\n\tsecond " + std::to_string(1'000'000'007 * i) + "\n"; break;
        case 3: r.text = i == 3 ? "" : std::string("\xff\x00\x01 \xc3\xbc 0x7ffe12ab 007", 20); break;
        default: r.text = R"({"message":"caf\u00e9","user":"root","n":)" + std::to_string(i) + "}";
        }
        if (i % 5 == 4) {
            r.is_message_apart = true;
            r.message_apart = "caf\xc3\xa9";
            r.fields.push_back({.name = "user", .is_in_text = true, .begin = 34, .size = 4});
            r.fields.push_back({.name = "n", .type = base::value_type::int64, .bits = i});
        } else {
            r.message_begin = r.text.size() / 2;
            r.message_size = r.text.size() - r.message_begin;
        }
        records.push_back(std::move(r));
    }
    return records;
}

std::string golden_batch(const std::vector<owned_record>& records) {
    record_batch_builder builder;
    builder.begin_group("web", 0, 0);
    std::vector<base::property> fields;
    for (const auto& r : records) {
        if (r.order.sequence == 30) {
            builder.begin_group("web", 1, 30);
        }
        builder.add(r.view(fields));
    }
    zstd_compressor zstd(zstd_level_log);
    std::string batch;
    builder.finish(zstd, batch);
    return batch;
}

std::string file_bytes(const std::string& name) {
    std::ifstream in(testing_lib::source_folder() + "/tests/unit/blobs/golden/" + name, std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    return bytes.str();
}

void write_if_asked(const std::string& name, const std::string& bytes) {
    if (const char* folder = std::getenv("DOWNTICK_WRITE_GOLDEN")) {
        std::ofstream(std::string(folder) + "/" + name, std::ios::binary) << bytes;
    }
}

void expect_golden_records(const std::string& name) {
    const auto records = golden_records();
    const auto file = file_bytes(name);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob) << to_string(blob.error());
    EXPECT_EQ(blob->identity(), (blob_identity{"web", base::unix_epoch, 1}));
    ASSERT_EQ(blob->blocks().size(), 1u);
    block_reader reader;
    ASSERT_TRUE(blob->open_block(0, test::bytes_of(file, blob->blocks()[0].extent), reader));
    ASSERT_EQ(reader.size(), records.size());
    record_scratch scratch;
    std::vector<base::property> fields;
    for (size_t i = 0; i < records.size(); ++i) {
        const auto r = reader.read(i, scratch);
        ASSERT_TRUE(r);
        EXPECT_TRUE(same_content(*r, records[i].view(fields))) << i;
    }
    std::string raw;
    ASSERT_TRUE(reader.read_raw(raw));
    EXPECT_EQ(raw, test::raw_text(records));
}

TEST(blob_golden, all_versions_are_read_for_ever) {
    write_if_asked("blob_v2.bin", test::make_blob(golden_records()));
    expect_golden_records("blob_v1.bin");
    expect_golden_records("blob_v2.bin");
}

// One record: the bytes that FORMAT.md explains.
std::vector<owned_record> example_records() {
    owned_record r;
    r.order = {1'794'821'400'000'000'000, 1, 42};
    r.level = 3;
    r.host = "a";
    r.app = "sshd";
    r.text = "<35>Nov 16 09:30:00 a sshd[7]: no entry";
    r.message_begin = 31;
    r.message_size = 8;
    return {r};
}

TEST(blob_golden, the_example_of_the_format_page_is_what_is_written) {
    const auto file = test::make_blob(example_records());
    write_if_asked("blob_v2_example.bin", file);
    EXPECT_EQ(file, file_bytes("blob_v2_example.bin"));
}

// Marks are hashes, and hashes of a file made long ago must be those that are asked for today.
bool may_have_needle(const std::string& name, std::string_view needle) {
    const auto file = file_bytes(name);
    const auto blob = test::open_blob(file);
    std::vector<mark> marks;
    add_marks(needle, text_edges::open, blob->filters(), marks);
    std::vector<bool> candidates(blob->blocks().size(), true);
    for (const mark m : marks) {
        EXPECT_TRUE(blob->filter_blocks(m, test::bytes_of(file, blob->slice_extent(m)), candidates));
    }
    return candidates.front();
}

TEST(blob_golden, the_filters_of_version_1_answer_for_ever) {
    EXPECT_TRUE(may_have_needle("blob_v1.bin", "Failed password from 173.234.31.15"));
    EXPECT_TRUE(may_have_needle("blob_v1.bin", " sshd 24200 - "));
    EXPECT_TRUE(may_have_needle("blob_v1.bin", "9bc36dd9-91c5-4314-898a-47625eb93b09"));
    EXPECT_TRUE(may_have_needle("blob_v1.bin", "status: 200 len"));
    EXPECT_FALSE(may_have_needle("blob_v1.bin", "absentneedle everywhere else"));
}

// Half of a text is its message.
TEST(blob_golden, the_filters_of_version_2_answer_for_ever) {
    EXPECT_TRUE(may_have_needle("blob_v2.bin", "password from 173.234.31.15"));
    EXPECT_TRUE(may_have_needle("blob_v2.bin", "173.234.3"));
    EXPECT_TRUE(may_have_needle("blob_v2.bin", "status: 200 len"));
    EXPECT_TRUE(may_have_needle("blob_v2.bin", "root"));
    EXPECT_FALSE(may_have_needle("blob_v2.bin", "999.888.7"));
    EXPECT_FALSE(may_have_needle("blob_v2.bin", "absentneedle everywhere else"));
}

TEST(blob_golden, a_batch_of_version_1_is_read_for_ever) {
    const auto records = golden_records();
    write_if_asked("record_batch_v1.bin", golden_batch(records));
    const auto batch = file_bytes("record_batch_v1.bin");
    zstd_decompressor zstd;
    std::string scratch;
    std::vector<base::property> fields;
    size_t next = 0;
    ASSERT_TRUE(read_batch(batch, zstd, scratch, [&](std::string_view source, const record& r, std::string_view) {
        EXPECT_EQ(source, "web");
        EXPECT_TRUE(same_content(r, records[next].view(fields))) << next;
        ++next;
    }));
    EXPECT_EQ(next, records.size());
}

} // namespace
} // namespace blobs

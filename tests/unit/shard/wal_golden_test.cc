// A log file as version 1 wrote it, kept for ever: FORMAT.md explains its bytes.

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "shard/core/wal_reader.hh"
#include "tests/lib/source_folder.hh"

namespace {

using namespace shard;

std::string golden() {
    std::ifstream in(testing_lib::source_folder() + "/tests/unit/shard/golden/wal_v1.log", std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
}

TEST(wal_golden, the_header_of_version_1_is_read) {
    const auto bytes = golden();
    ASSERT_EQ(bytes.size(), wal_head_bytes + 3 * wal_block_bytes);
    const wal_file_header expected{.id = {.store = 0x0123456789abcdef, .epoch = 3, .shard = 1, .number = 1}, .first = {1000}};
    EXPECT_EQ(decode_file_header(bytes.substr(0, wal_block_bytes)), expected);
    EXPECT_EQ(decode_file_header(bytes.substr(wal_block_bytes, wal_block_bytes)), expected);
}

TEST(wal_golden, the_records_of_version_1_are_read) {
    const auto bytes = golden();
    const auto header = decode_file_header(bytes.substr(0, wal_block_bytes));
    ASSERT_TRUE(header);
    wal_reader reader({{.id = header->id, .size_bytes = bytes.size(), .header = *header}});
    std::ostringstream seen;
    auto step = reader.next();
    for (; !std::holds_alternative<wal_end>(step); step = reader.next()) {
        if (const auto* wanted = std::get_if<wal_bytes_wanted>(&step)) {
            reader.feed(std::string_view(bytes).substr(wanted->from.position, wanted->bytes));
        } else if (const auto* record = std::get_if<wal_record>(&step)) {
            seen << record->first.value << '+' << record->sequences_count << " kind " << int(record->kind) << " '"
                 << record->payload << "'; ";
        }
    }
    EXPECT_EQ(seen.str(), "1000+1 kind 1 'hello'; 1001+2 kind 2 ''; 1003+1 kind 1 'third'; ");
    EXPECT_EQ(std::get<wal_end>(step).why, wal_end::reason::closed);
}

} // namespace

// An edit log file and identity files as their versions wrote them, kept for ever: FORMAT.md explains their bytes.

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shard/core/edit_merge.hh"
#include "shard/core/identity_record.hh"
#include "tests/lib/source_folder.hh"

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string golden(const std::string& name) {
    std::ifstream in(testing_lib::source_folder() + "/tests/unit/shard/golden/" + name, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
}

const shard::edit_header header{.log_id = 0x0123456789abcdef, .generation = 2, .snapshot_count = 1};
const std::vector<std::string> edits{"tables: cpu", "create mem", "drop cpu"};

TEST(files_golden, the_edit_log_of_version_1_is_read) {
    const auto bytes = golden("edit_log_v1.0a");
    ASSERT_EQ(bytes.size(), 2 * shard::edit_block_bytes);
    ASSERT_EQ(shard::parse_edit_header(bytes), header);
    shard::edit_merger merger({bytes, bytes}, header);
    std::vector<std::string> found;
    while (const auto edit = merger.next()) {
        found.emplace_back(*edit);
    }
    EXPECT_EQ(found, edits);
    EXPECT_THAT(merger.lost(), IsEmpty());
    EXPECT_THAT(merger.repairs(), IsEmpty());
}

TEST(files_golden, version_1_of_the_edit_log_is_still_written_the_same) {
    auto bytes = shard::encode_edit_header(header);
    const auto seed = shard::edit_seed(header);
    shard::put_edit_frame(bytes, seed, {.number = 1, .durable = 0, .edit = edits[0]});
    shard::put_edit_frame(bytes, seed, {.number = 2, .durable = 1, .edit = edits[1]});
    shard::put_edit_frame(bytes, seed, {.number = 3, .durable = 2, .edit = edits[2]});
    bytes.resize(2 * shard::edit_block_bytes);
    EXPECT_EQ(bytes, golden("edit_log_v1.0a"));
}

TEST(files_golden, the_identity_of_each_version_is_read_and_still_written_the_same) {
    for (const uint32_t version : {1u, 2u}) {
        const shard::identity who{
            .version = version, .store = 0x0123456789abcdef, .created = *base::parse_time("2026-11-16T09:30:00Z")};
        const auto bytes = golden("identity_v" + std::to_string(version));
        EXPECT_EQ(shard::decode_identity(bytes), who);
        EXPECT_EQ(shard::encode(who), bytes);
    }
}

TEST(files_golden, a_store_of_version_1_keeps_its_keys_where_they_are) {
    EXPECT_EQ(shard::placement_of(*shard::decode_identity(golden("identity_v1"))),
              base::placement(base::placement::rule::by_key));
    EXPECT_EQ(shard::placement_of(*shard::decode_identity(golden("identity_v2"))), base::placement());
}

} // namespace

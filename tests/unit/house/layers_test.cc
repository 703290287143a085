#include "tests/lib/source_folder.hh"
#include "tests/unit/house/layers.hh"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

house::tree product_files() {
    house::tree files;
    const fs::path top = testing_lib::source_folder();
    for (auto folder :
         {"base", "shard", "http", "tables", "blobs", "ingest", "query", "compaction", "service", "cli", "server"}) {
        for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
            const auto extension = entry.path().extension();
            if (extension == ".hh" || extension == ".cc") {
                std::ifstream in(entry.path());
                std::stringstream text;
                text << in.rdbuf();
                files[fs::relative(entry.path(), top).string()] = text.str();
            }
        }
    }
    return files;
}

TEST(layers, no_folder_of_this_tree_includes_upward) {
    auto files = product_files();
    EXPECT_GT(files.size(), 10u) << "the tree was not found";
    EXPECT_THAT(house::layer_violations(files), IsEmpty());
}

TEST(layers, planted_violations_are_found) {
    auto breaks = [](std::string path, std::string include) {
        return house::layer_violations({{path, "#pragma once\n#include \"" + include + "\"\n"}}).size() == 1;
    };
    EXPECT_TRUE(breaks("base/x.hh", "shard/wal.hh"));
    EXPECT_TRUE(breaks("tables/engine.cc", "blobs/engine.hh"));
    EXPECT_TRUE(breaks("tables/engine.cc", "query/http.hh"));
    EXPECT_TRUE(breaks("query/executor.cc", "tables/flusher.hh"));
    EXPECT_TRUE(breaks("tables/core/row.cc", "tables/engine.hh"));
    EXPECT_TRUE(breaks("shard/core/wal_record.cc", "seastar/core/future.hh"));
    EXPECT_TRUE(breaks("ingest/listener.cc", "service/core/url.hh"));
    EXPECT_TRUE(breaks("ingest/core/json_reader.cc", "query/core/filter.hh"));
    EXPECT_TRUE(breaks("query/core/native/plan.cc", "ingest/core/limits.hh"));
    EXPECT_TRUE(breaks("blobs/core/record.hh", "tables/core/row.hh"));
}

TEST(layers, what_is_allowed_passes) {
    auto files = house::tree{{"service/table_http.cc", "#include \"query/core/filter.hh\"\n"},
                             {"query/executor.cc", "#include \"tables/engine.hh\"\n#include \"tables/core/row.hh\"\n"},
                             {"tables/engine.cc", "#include \"shard/wal.hh\"\n#include <seastar/core/future.hh>\n"},
                             {"server/app.cc", "#include \"query/http.hh\"\n"}};
    EXPECT_THAT(house::layer_violations(files), SizeIs(0));
}

} // namespace

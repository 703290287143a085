// A drop of a table in many files: answered at once whatever the size, the name free with the next call, the space back soon.
// DOWNTICK_DROP_BYTES makes the table larger.

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>

#include "shard/dma_disk.hh"
#include "tables/segment_file.hh"
#include "tests/lib/running_engine.hh"
#include "tests/lib/temporary_directory.hh"

namespace {

using namespace tables;
using namespace testing_lib;
using clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr uint64_t files_wanted = 200;
constexpr size_t text_bytes = 60'000; // nearly the longest there is
constexpr size_t rows_per_write = 50;

uint64_t bytes_wanted() {
    const char* text = std::getenv("DOWNTICK_DROP_BYTES");
    return text == nullptr ? files_wanted * text_bytes * 2 : std::strtoull(text, nullptr, 10);
}

// Texts that do not compress, of one partition so that they lie in files of one shard.
class writer {
public:
    writer(running_engine& engine, base::table_id table) : _engine(engine), _table(table) {}

    void write(size_t rows) {
        row_batch_builder batch(_table);
        std::vector<operation> operations;
        for (size_t i = 0; i < rows; ++i) {
            std::string bytes(text_bytes, '\0');
            for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
                const auto number = _random();
                std::memcpy(bytes.data() + at, &number, sizeof number);
            }
            batch.add_put("p", fmt::format("{:08}", _next++), std::vector<property>{{"x", value::of_binary(bytes)}});
            operations.push_back({operation_kind::insert, std::nullopt});
        }
        ASSERT_TRUE(_engine->commit({batch.take(), operations}).get());
    }

private:
    running_engine& _engine;
    base::table_id _table;
    std::mt19937_64 _random{5};
    int _next = 0;
};

double seconds_since(clock::time_point begin) {
    return std::chrono::duration<double>(clock::now() - begin).count();
}

struct folder_size {
    uint64_t files_count = 0;
    uint64_t bytes = 0;
};

folder_size size_of(const std::string& folder) {
    folder_size sum;
    for (const auto& file : fs::directory_iterator(folder)) {
        std::error_code gone;
        const auto bytes = file.file_size(gone);
        sum.files_count += !gone;
        sum.bytes += gone ? 0 : bytes;
    }
    return sum;
}

TEST(drop, of_a_table_in_many_files_is_answered_at_once_and_its_space_comes_back) {
    const temporary_directory data;
    running_engine::options options{.shards_count = seastar::smp::count, .log_file_bytes = 32u << 20};
    running_engine engine(data.path(), options);
    writer rows(engine, engine.create("Large"));
    const auto rows_per_file = std::max<uint64_t>(1, bytes_wanted() / files_wanted / text_bytes);
    for (uint64_t file = 0; file < files_wanted; ++file) {
        for (uint64_t left = rows_per_file; left > 0; left -= std::min(left, rows_per_write)) {
            rows.write(std::min(left, rows_per_write));
        }
        engine.flush();
    }
    const auto before = size_of(data.path() + "/segments");
    ASSERT_GE(before.files_count, files_wanted);
    ASSERT_GE(before.bytes, files_wanted * rows_per_file * text_bytes);

    const auto begin = clock::now();
    ASSERT_TRUE(engine->drop_table("account", "Large").get());
    const auto dropped = seconds_since(begin);
    const auto again = engine.create("Large");
    EXPECT_EQ(engine->get(again, "p", "00000000").get().error().code, base::errc::entity_not_found);
    constexpr double space_within_s = 10;
    while (size_of(data.path() + "/segments").files_count > 0 && seconds_since(begin) < space_within_s) {
        seastar::thread::yield();
    }
    const auto returned = seconds_since(begin);
    fmt::print("{} files, {} MB: answered in {:.1f} ms, space back after {:.2f} s\n", before.files_count, before.bytes >> 20,
               dropped * 1e3, returned);
    EXPECT_LT(dropped, 0.1);
    EXPECT_LT(returned, space_within_s);
}

// Who keeps a disk from filling must not drop more for what is on its way out already.
TEST(drop, a_file_that_somebody_reads_counts_as_leaving_until_it_is_gone) {
    const temporary_directory data;
    shard::dma_disk disk(data.path());
    disk.make_directory(segments_folder).get();
    const auto path = segment_path("some.seg");
    disk.open(path, shard::open_mode::create).get()->close().get();
    seastar::gate users;
    auto file = *open_segment_file(disk, users.hold(), path).get();
    auto reader = file;

    file->doom(1'000);
    file = nullptr;
    EXPECT_EQ(disk.leaving_bytes(), 1'000u);
    EXPECT_TRUE(disk.exists(path).get());

    reader = nullptr;
    users.close().get();
    EXPECT_EQ(disk.leaving_bytes(), 0u);
    EXPECT_FALSE(disk.exists(path).get());
}

} // namespace

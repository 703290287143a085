#include "shard/core/directory_lock.hh"

#include <filesystem>
#include <fstream>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/lib/temporary_directory.hh"

namespace {

using testing::HasSubstr;

TEST(directory_lock, the_second_holder_is_told_who_the_first_is) {
    testing_lib::temporary_directory directory;
    auto first = shard::directory_lock::acquire(directory.path());
    ASSERT_TRUE(first);
    const auto second = shard::directory_lock::acquire(directory.path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, base::errc::busy);
    EXPECT_THAT(second.error().detail, HasSubstr("process id " + std::to_string(::getpid()) + ";"));
    EXPECT_THAT(second.error().detail, HasSubstr(directory.path()));
}

TEST(directory_lock, it_can_be_taken_again_once_it_is_free) {
    testing_lib::temporary_directory directory;
    {
        const auto first = shard::directory_lock::acquire(directory.path());
        ASSERT_TRUE(first);
    }
    EXPECT_TRUE(shard::directory_lock::acquire(directory.path()));
}

TEST(directory_lock, it_moves_with_its_holder) {
    testing_lib::temporary_directory directory;
    auto first = shard::directory_lock::acquire(directory.path());
    ASSERT_TRUE(first);
    std::optional<shard::directory_lock> moved(std::move(*first));
    EXPECT_FALSE(shard::directory_lock::acquire(directory.path()));
    moved.reset();
    EXPECT_TRUE(shard::directory_lock::acquire(directory.path()));
}

TEST(directory_lock, a_missing_directory_is_made_with_its_parents) {
    testing_lib::temporary_directory directory;
    const auto path = directory.path() + "/a/b/c";
    EXPECT_TRUE(shard::directory_lock::acquire(path));
    EXPECT_TRUE(std::filesystem::is_directory(path));
}

TEST(directory_lock, a_shorter_process_id_leaves_nothing_of_a_longer_one) {
    testing_lib::temporary_directory directory;
    std::ofstream(directory.path() + "/LOCK") << "12345678901234567890";
    const auto first = shard::directory_lock::acquire(directory.path());
    const auto second = shard::directory_lock::acquire(directory.path());
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().detail, HasSubstr("process id " + std::to_string(::getpid()) + ";"));
}

TEST(directory_lock, what_cannot_hold_files_is_refused_with_a_sentence) {
    testing_lib::temporary_directory directory;
    const auto path = directory.path() + "/file";
    std::ofstream(path) << "not a directory";
    for (const auto& bad : {path, path + "/below", std::string("/proc/downtick")}) {
        const auto lock = shard::directory_lock::acquire(bad);
        ASSERT_FALSE(lock) << bad;
        EXPECT_EQ(lock.error().code, base::errc::io_error);
        EXPECT_THAT(lock.error().detail, HasSubstr(bad));
        EXPECT_THAT(lock.error().detail, HasSubstr("--data"));
    }
}

} // namespace

// The contract of shard::disk, once for each thing that claims to keep it.

#include <cstring>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>

#include "shard/disk.hh"
#include "shard/disk_error.hh"
#include "shard/dma_disk.hh"
#include "tests/lib/temporary_directory.hh"
#include "tests/sim/shared_disk.hh"
#include "tests/sim/sim_disk.hh"

namespace {

using shard::open_mode;
using testing::ElementsAre;

struct real_disk {
    testing_lib::temporary_directory directory;
    shard::dma_disk disk{directory.path()};
};

struct simulated_disk {
    sim::sim_disk disk;
};

// Lives on the last shard and is used from this one.
struct remote_disk {
    const unsigned owner = seastar::smp::count - 1;
    sim::sim_disk* there = seastar::smp::submit_to(owner, [] { return new sim::sim_disk; }).get();
    sim::shared_disk disk{*there, owner};
    ~remote_disk() {
        seastar::smp::submit_to(owner, [d = there] { delete d; }).get();
    }
};

template <class Fixture>
class disk_contract : public testing::Test {
protected:
    shard::disk& disk() { return _fixture.disk; }

    shard::file_ptr open(std::string path, open_mode mode) { return disk().open(path, mode).get(); }

    void make_file(std::string path, std::string content) { shard::replace_whole(disk(), path, content).get(); }

    std::string content(std::string path) { return shard::read_whole(disk(), path, 1 << 20).get(); }

    static seastar::temporary_buffer<char> filled(shard::file& f, size_t blocks, char c) {
        auto buffer = f.allocate(blocks * f.alignment());
        std::memset(buffer.get_write(), c, buffer.size());
        return buffer;
    }

private:
    Fixture _fixture;
};

using disks = testing::Types<real_disk, simulated_disk, remote_disk>;
TYPED_TEST_SUITE(disk_contract, disks);

template <class Future>
int error_of(Future f) {
    try {
        f.get();
    } catch (const std::system_error& e) {
        return e.code().value();
    }
    return 0;
}

TYPED_TEST(disk_contract, what_is_written_is_read) {
    auto f = this->open("f", open_mode::create);
    auto a = this->filled(*f, 2, 'a');
    auto b = this->filled(*f, 1, 'b');
    f->write(0, a.get(), a.size()).get();
    f->write(f->alignment(), b.get(), b.size()).get();
    f->flush().get();
    EXPECT_EQ(f->size().get(), 2 * f->alignment());
    const auto read = f->read(f->alignment() - 3, 6).get();
    EXPECT_EQ(std::string_view(read.get(), read.size()), "aaabbb");
    f->close().get();
}

TYPED_TEST(disk_contract, a_read_is_short_only_at_the_end) {
    this->make_file("f", "0123456789");
    auto f = this->open("f", open_mode::read);
    EXPECT_EQ(f->read(8, 100).get().size(), 2u);
    EXPECT_EQ(f->read(10, 1).get().size(), 0u);
    EXPECT_EQ(f->read(1 << 20, 1).get().size(), 0u);
    EXPECT_EQ(f->read(3, 0).get().size(), 0u);
    f->close().get();
}

TYPED_TEST(disk_contract, what_was_never_written_is_zeros) {
    auto f = this->open("f", open_mode::create);
    const auto unit = f->alignment();
    auto a = this->filled(*f, 1, 'a');
    f->write(3 * unit, a.get(), a.size()).get();
    const auto hole = f->read(unit, unit).get();
    EXPECT_EQ(std::string_view(hole.get(), hole.size()), std::string(unit, '\0'));
    f->close().get();
}

TYPED_TEST(disk_contract, truncation_cuts_and_extends_with_zeros) {
    auto f = this->open("f", open_mode::create);
    auto a = this->filled(*f, 1, 'a');
    f->write(0, a.get(), a.size()).get();
    f->truncate(10).get();
    EXPECT_EQ(f->size().get(), 10u);
    f->truncate(12).get();
    const auto read = f->read(8, 100).get();
    EXPECT_EQ(std::string_view(read.get(), read.size()), std::string_view("aa\0\0", 4));
    f->close().get();
}

TYPED_TEST(disk_contract, writes_to_different_places_run_at_the_same_time) {
    auto f = this->open("f", open_mode::create);
    const auto unit = f->alignment();
    std::vector<seastar::temporary_buffer<char>> buffers;
    std::vector<seastar::future<>> writes;
    for (char c = 'a'; c <= 'p'; ++c) {
        buffers.push_back(this->filled(*f, 1, c));
        writes.push_back(f->write(static_cast<uint64_t>('p' - c) * unit, buffers.back().get(), unit));
    }
    for (auto& write : writes) {
        write.get();
    }
    f->flush().get();
    EXPECT_EQ(f->read(0, 1).get()[0], 'p');
    EXPECT_EQ(f->read(15 * unit, 1).get()[0], 'a');
    f->close().get();
}

TYPED_TEST(disk_contract, an_unaligned_write_is_a_programming_error) {
    auto f = this->open("f", open_mode::create);
    auto a = this->filled(*f, 2, 'a');
    EXPECT_THROW(f->write(1, a.get(), f->alignment()).get(), std::invalid_argument);
    EXPECT_THROW(f->write(0, a.get(), 7).get(), std::invalid_argument);
    EXPECT_THROW(f->write(0, a.get() + 8, f->alignment()).get(), std::invalid_argument);
    f->close().get();
}

TYPED_TEST(disk_contract, opening_asks_for_what_is_there) {
    EXPECT_EQ(error_of(this->disk().open("f", open_mode::read)), ENOENT);
    EXPECT_EQ(error_of(this->disk().open("f", open_mode::read_write)), ENOENT);
    EXPECT_EQ(error_of(this->disk().open("folder/f", open_mode::create)), ENOENT);
    this->make_file("f", "content");
    EXPECT_EQ(error_of(this->disk().open("f", open_mode::create)), EEXIST);
    EXPECT_TRUE(this->disk().exists("f").get());
    EXPECT_FALSE(this->disk().exists("g").get());
}

TYPED_TEST(disk_contract, names_are_listed_in_order) {
    this->disk().make_directory("d").get();
    this->disk().make_directory("d").get();
    this->make_file("d/b", "");
    this->make_file("d/a", "");
    EXPECT_THAT(this->disk().list("d").get(), ElementsAre("a", "b"));
    EXPECT_THAT(this->disk().list("").get(), ElementsAre("d"));
    EXPECT_EQ(error_of(this->disk().list("none")), ENOENT);
}

TYPED_TEST(disk_contract, a_rename_replaces_and_an_open_file_follows) {
    this->make_file("old", "old");
    this->make_file("new", "new");
    auto f = this->open("new", open_mode::read);
    this->disk().rename("new", "old").get();
    this->disk().sync_directory("").get();
    EXPECT_EQ(this->content("old"), "new");
    EXPECT_EQ(f->size().get(), 3u);
    EXPECT_FALSE(this->disk().exists("new").get());
    EXPECT_EQ(error_of(this->disk().rename("new", "x")), ENOENT);
    f->close().get();
}

TYPED_TEST(disk_contract, a_file_moves_between_folders) {
    this->disk().make_directory("d").get();
    this->make_file("f", "content");
    this->disk().rename("f", "d/f").get();
    EXPECT_EQ(this->content("d/f"), "content");
    EXPECT_THAT(this->disk().list("").get(), ElementsAre("d"));
}

TYPED_TEST(disk_contract, a_removed_file_is_readable_while_open) {
    this->make_file("f", "content");
    auto f = this->open("f", open_mode::read);
    this->disk().remove("f").get();
    this->disk().sync_directory("").get();
    EXPECT_FALSE(this->disk().exists("f").get());
    EXPECT_EQ(f->read(0, 7).get().size(), 7u);
    f->close().get();
    EXPECT_EQ(error_of(this->disk().remove("f")), ENOENT);
}

TYPED_TEST(disk_contract, only_an_empty_folder_can_be_removed) {
    this->disk().make_directory("d").get();
    this->make_file("d/f", "");
    EXPECT_EQ(error_of(this->disk().remove("d")), ENOTEMPTY);
    this->disk().remove("d/f").get();
    this->disk().remove("d").get();
    EXPECT_FALSE(this->disk().exists("d").get());
}

TYPED_TEST(disk_contract, a_link_outlives_the_first_name) {
    this->make_file("f", "content");
    this->disk().link("f", "g").get();
    EXPECT_EQ(error_of(this->disk().link("f", "g")), EEXIST);
    this->disk().remove("f").get();
    EXPECT_EQ(this->content("g"), "content");
}

TYPED_TEST(disk_contract, a_name_that_leaves_the_data_directory_is_a_programming_error) {
    for (std::string path : {"/etc/passwd", "../x", "a/../../x", "a//b", "a/", ".", ""}) {
        EXPECT_THROW(this->disk().open(path, open_mode::read).get(), std::invalid_argument) << path;
    }
    EXPECT_THROW(this->disk().remove(std::string("a\0b", 3)).get(), std::invalid_argument);
    EXPECT_THROW(this->disk().rename("a", "../b").get(), std::invalid_argument);
    EXPECT_THROW(this->disk().link("a", "/b").get(), std::invalid_argument);
    EXPECT_THROW(this->disk().list("..").get(), std::invalid_argument);
}

TYPED_TEST(disk_contract, whole_files_are_replaced) {
    this->make_file("f", "one");
    this->make_file("f", std::string(10'000, 'x'));
    EXPECT_EQ(this->content("f"), std::string(10'000, 'x'));
    EXPECT_THAT(this->disk().list("").get(), ElementsAre("f"));
    EXPECT_EQ(error_of(shard::read_whole(this->disk(), "f", 9'999)), EFBIG);
    EXPECT_EQ(error_of(shard::read_whole(this->disk(), "none", 1)), ENOENT);
}

TYPED_TEST(disk_contract, space_is_told) {
    const auto space = this->disk().space().get();
    EXPECT_GT(space.free_bytes, 0u);
    EXPECT_GE(space.total_bytes, space.free_bytes);
}

TEST(disk_error, memory_that_is_short_is_no_error_of_the_disk) {
    EXPECT_EQ(shard::error_of(std::bad_alloc(), "f").code, base::errc::busy);
    EXPECT_EQ(shard::error_of(std::system_error(EIO, std::system_category()), "f").code, base::errc::io_error);
    EXPECT_EQ(shard::error_of(std::system_error(ENOSPC, std::system_category()), "f").code, base::errc::out_of_space);
}

} // namespace

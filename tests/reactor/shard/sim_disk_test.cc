// The simulated disk loses what a real one may lose, keeps what it must keep, and fails when told.

#include "tests/sim/sim_disk.hh"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <seastar/util/later.hh>

namespace {

using shard::open_mode;
using sim::crash_policy;
using sim::op_kind;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t unit = 4096;
constexpr uint64_t seeds = 200;

class sim_disk : public testing::Test {
protected:
    void write(shard::file& f, uint64_t block, char c, size_t blocks = 1) {
        auto buffer = f.allocate(blocks * unit);
        std::memset(buffer.get_write(), c, buffer.size());
        f.write(block * unit, buffer.get(), buffer.size()).get();
    }

    // A file whose name and whose blocks of `c` are durable.
    shard::file_ptr durable_file(std::string path, char c, size_t blocks = 1) {
        auto f = disk.open(path, open_mode::create).get();
        write(*f, 0, c, blocks);
        f->flush().get();
        disk.sync_directory("").get();
        return f;
    }

    static std::string content(sim::sim_disk& d, std::string path) { return shard::read_whole(d, path, 1 << 24).get(); }

    sim::sim_disk disk;
};

std::string repeated(char c, size_t blocks = 1) {
    return std::string(blocks * unit, c);
}

template <class Future>
int error_of(Future f) {
    try {
        f.get();
    } catch (const std::system_error& e) {
        return e.code().value();
    }
    return 0;
}

TEST_F(sim_disk, flushed_bytes_of_a_synced_name_survive_every_cut) {
    auto f = durable_file("f", 'a');
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        EXPECT_EQ(content(*disk.crash_image(crash_policy::random(seed)), "f"), repeated('a')) << seed;
    }
    EXPECT_EQ(content(*disk.crash_image(crash_policy::drop_all()), "f"), repeated('a'));
    f->close().get();
}

TEST_F(sim_disk, sectors_of_an_unflushed_overwrite_survive_one_by_one) {
    auto f = durable_file("f", 'a');
    write(*f, 0, 'b');
    EXPECT_EQ(content(*disk.crash_image(crash_policy::keep_all()), "f"), repeated('b'));
    EXPECT_EQ(content(*disk.crash_image(crash_policy::drop_all()), "f"), repeated('a'));
    bool saw_mixture = false, saw_torn = false;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        const auto found = content(*disk.crash_image(crash_policy::random(seed)), "f");
        ASSERT_EQ(found.size(), unit);
        EXPECT_EQ(found.find_first_not_of("ab"), std::string::npos);
        saw_mixture |= found.find('a') != std::string::npos && found.find('b') != std::string::npos;
        for (size_t i = 1; i < unit; ++i) {
            saw_torn |= i % sim::sector_bytes != 0 && found[i] != found[i - 1];
        }
    }
    EXPECT_TRUE(saw_mixture);
    EXPECT_TRUE(saw_torn);
    f->close().get();
}

TEST_F(sim_disk, only_the_last_write_may_be_torn) {
    auto f = durable_file("f", 'a', 2);
    write(*f, 0, 'b');
    write(*f, 1, 'c');
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        const auto found = content(*disk.crash_image(crash_policy::random(seed)), "f");
        for (size_t i = 1; i < unit; ++i) {
            EXPECT_TRUE(i % sim::sector_bytes == 0 || found[i] == found[i - 1]) << seed;
        }
    }
    f->close().get();
}

TEST_F(sim_disk, an_older_unflushed_write_may_outlive_a_newer_one) {
    auto f = durable_file("f", 'a');
    write(*f, 0, 'b');
    write(*f, 0, 'c');
    std::set<char> found;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        found.insert(content(*disk.crash_image(crash_policy::random(seed)), "f")[0]);
    }
    EXPECT_THAT(found, ElementsAre('a', 'b', 'c'));
    f->close().get();
}

TEST_F(sim_disk, a_flush_covers_only_writes_resolved_before_it_was_called) {
    auto f = durable_file("f", 'a');
    disk.hold({.kind = op_kind::flush});
    auto flush = f->flush();
    write(*f, 0, 'b');
    disk.release();
    flush.get();
    EXPECT_EQ(content(*disk.crash_image(crash_policy::drop_all()), "f"), repeated('a'));
    f->flush().get();
    EXPECT_EQ(content(*disk.crash_image(crash_policy::drop_all()), "f"), repeated('b'));
    f->close().get();
}

TEST_F(sim_disk, a_name_is_volatile_until_its_folder_is_synced) {
    auto f = disk.open("f", open_mode::create).get();
    write(*f, 0, 'a');
    f->flush().get();
    EXPECT_FALSE(disk.crash_image(crash_policy::drop_all())->exists("f").get());
    EXPECT_TRUE(disk.crash_image(crash_policy::keep_all())->exists("f").get());
    disk.sync_directory("").get();
    EXPECT_TRUE(disk.crash_image(crash_policy::drop_all())->exists("f").get());
    disk.remove("f").get();
    EXPECT_EQ(content(*disk.crash_image(crash_policy::drop_all()), "f"), repeated('a'));
    f->close().get();
}

TEST_F(sim_disk, names_survive_in_their_order) {
    for (std::string name : {"1", "2", "3"}) {
        disk.open(name, open_mode::create).get()->close().get();
    }
    std::set<std::vector<std::string>> found;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        found.insert(disk.crash_image(crash_policy::random(seed))->list("").get());
    }
    EXPECT_THAT(found, ElementsAre(std::vector<std::string>{}, std::vector<std::string>{"1"}, std::vector<std::string>{"1", "2"},
                                   std::vector<std::string>{"1", "2", "3"}));
}

TEST_F(sim_disk, a_rename_leaves_the_old_or_the_new_content) {
    durable_file("f", 'a')->close().get();
    durable_file("f.new", 'b')->close().get();
    disk.rename("f.new", "f").get();
    std::set<std::string> found;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        auto image = disk.crash_image(crash_policy::random(seed));
        const auto text = content(*image, "f");
        EXPECT_EQ(image->exists("f.new").get(), text == repeated('a')) << seed;
        found.insert(text);
    }
    EXPECT_EQ(found.size(), 2u);
}

TEST_F(sim_disk, a_file_moved_between_folders_is_never_lost) {
    disk.make_directory("d").get();
    durable_file("f", 'a')->close().get();
    disk.rename("f", "d/f").get();
    std::set<unsigned> names;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        auto image = disk.crash_image(crash_policy::random(seed));
        names.insert(image->exists("f").get() + 2 * image->exists("d/f").get());
    }
    EXPECT_THAT(names, ElementsAre(1, 2, 3));
    disk.sync_directory("").get();
    EXPECT_TRUE(disk.crash_image(crash_policy::drop_all())->exists("d/f").get());
}

TEST_F(sim_disk, what_lies_in_a_folder_goes_with_its_unsynced_name) {
    disk.make_directory("d").get();
    shard::replace_whole(disk, "d/f", "content").get();
    EXPECT_THAT(disk.crash_image(crash_policy::drop_all())->list("").get(), IsEmpty());
}

TEST_F(sim_disk, an_unflushed_length_survives_up_to_some_point) {
    auto f = durable_file("f", 'a');
    write(*f, 1, 'b');
    write(*f, 2, 'c');
    std::set<size_t> sizes;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        const auto found = content(*disk.crash_image(crash_policy::random(seed)), "f");
        EXPECT_EQ(found.substr(0, unit), repeated('a'));
        sizes.insert(found.size());
    }
    EXPECT_THAT(sizes, ElementsAre(unit, 2 * unit, 3 * unit));
    f->close().get();
}

TEST_F(sim_disk, writes_after_a_lost_truncation_are_lost) {
    auto f = durable_file("f", 'a', 2);
    f->truncate(0).get();
    write(*f, 0, 'b');
    for (uint64_t seed = 0; seed < seeds; ++seed) {
        const auto found = content(*disk.crash_image(crash_policy::random(seed)), "f");
        EXPECT_TRUE(found == repeated('a', 2) || found.find('a') == std::string::npos) << seed;
    }
    f->close().get();
}

TEST_F(sim_disk, a_failed_flush_is_not_made_good_by_the_next) {
    auto f = durable_file("f", 'a');
    write(*f, 0, 'b');
    disk.fail_at({.at = {.kind = op_kind::flush}});
    EXPECT_EQ(error_of(f->flush()), EIO);
    f->flush().get();
    EXPECT_EQ(content(*disk.crash_image(crash_policy::drop_all()), "f"), repeated('a'));
    EXPECT_EQ(content(*disk.crash_image(crash_policy::keep_all()), "f"), repeated('b'));
    write(*f, 0, 'c');
    f->flush().get();
    EXPECT_EQ(content(*disk.crash_image(crash_policy::keep_all()), "f"), repeated('c'));
    EXPECT_EQ(content(*disk.crash_image(crash_policy::drop_all()), "f"), repeated('c'));
    f->close().get();
}

TEST_F(sim_disk, an_image_at_every_operation_holds_what_was_durable_then) {
    auto f = durable_file("f", 'a');
    const auto begin = disk.operations_count();
    for (int i = 1; i <= 100; ++i) {
        write(*f, 0, static_cast<char>('a' + i));
        f->flush().get();
    }
    for (uint64_t i = 0; begin + i <= disk.operations_count(); ++i) {
        EXPECT_EQ(content(*disk.crash_image(begin + i, crash_policy::drop_all()), "f")[0], static_cast<char>('a' + i / 2));
    }
    f->close().get();
}

TEST_F(sim_disk, an_image_can_be_cut_again) {
    auto f = durable_file("f", 'a');
    write(*f, 0, 'b');
    f->close().get();
    auto first = disk.crash_image(crash_policy::keep_all());
    shard::replace_whole(*first, "g", "second").get();
    EXPECT_EQ(content(*first->crash_image(crash_policy::drop_all()), "g"), "second");
    EXPECT_EQ(content(*first->crash_image(crash_policy::drop_all()), "f"), repeated('b'));
    EXPECT_FALSE(disk.exists("g").get());
}

TEST_F(sim_disk, operations_are_recorded_with_their_flush) {
    auto f = disk.open("f", open_mode::create).get();
    write(*f, 0, 'a', 2);
    write(*f, 2, 'b');
    f->flush().get();
    write(*f, 0, 'c');
    const auto& log = disk.operations();
    ASSERT_EQ(log.size(), 5u);
    EXPECT_EQ(log[1].kind, op_kind::write);
    EXPECT_EQ(log[1].path, "f");
    EXPECT_EQ(log[2].position, 2 * unit);
    EXPECT_EQ(log[1].bytes.length, 2 * unit);
    EXPECT_EQ(disk.covered_by(1), 3u);
    EXPECT_EQ(disk.covered_by(2), 3u);
    EXPECT_EQ(disk.covered_by(4), std::nullopt);
    EXPECT_THAT(disk.flush_boundaries(), ElementsAre(4));
    f->close().get();
}

TEST_F(sim_disk, without_history_the_last_operation_can_be_cut) {
    sim::sim_disk d({.operations = sim::history::drop});
    shard::replace_whole(d, "f", "content").get();
    EXPECT_THAT(d.operations(), IsEmpty());
    EXPECT_GT(d.operations_count(), 0u);
    EXPECT_EQ(content(*d.crash_image(crash_policy::drop_all()), "f"), "content");
    EXPECT_THROW(d.crash_image(0, crash_policy::drop_all()), std::out_of_range);
}

TEST_F(sim_disk, the_nth_matching_operation_fails) {
    disk.fail_at({.at = {.kind = op_kind::write, .path = "logs/*"}, .nth = 2, .times = 2, .error = ENOSPC});
    disk.make_directory("logs").get();
    auto other = disk.open("other", open_mode::create).get();
    auto f = disk.open("logs/f", open_mode::create).get();
    auto block = f->allocate(unit);
    std::vector<int> errors;
    for (int i = 0; i < 4; ++i) {
        other->write(0, block.get(), unit).get();
        errors.push_back(error_of(f->write(i * unit, block.get(), unit)));
    }
    EXPECT_THAT(errors, ElementsAre(0, ENOSPC, ENOSPC, 0));
    EXPECT_EQ(error_of(f->read(0, 1)), 0);
    disk.fail_at({.at = {.kind = op_kind::read}});
    EXPECT_EQ(error_of(f->read(0, 1)), EIO);
    disk.fail_at({.at = {.kind = op_kind::create}, .error = EACCES});
    EXPECT_EQ(error_of(disk.open("x", open_mode::create)), EACCES);
    EXPECT_FALSE(disk.exists("x").get());
    f->close().get();
    other->close().get();
}

TEST_F(sim_disk, a_torn_write_leaves_its_first_half) {
    auto f = durable_file("f", 'a');
    disk.fail_at({.at = {.kind = op_kind::write}, .effect = sim::fault_effect::torn});
    EXPECT_THROW(write(*f, 0, 'b'), std::system_error);
    EXPECT_EQ(content(disk, "f"), std::string(unit / 2, 'b') + std::string(unit / 2, 'a'));
    f->close().get();
}

TEST_F(sim_disk, random_faults_repeat_with_their_seed) {
    auto run = [] {
        sim::sim_disk d;
        d.fail_randomly({.at = {.kind = op_kind::make_directory}, .probability = 0.5, .seed = 7});
        std::vector<int> errors;
        for (int i = 0; i < 50; ++i) {
            errors.push_back(error_of(d.make_directory("d" + std::to_string(i))));
        }
        return errors;
    };
    const auto errors = run();
    EXPECT_THAT(errors, testing::Contains(EIO));
    EXPECT_THAT(errors, testing::Contains(0));
    EXPECT_EQ(errors, run());
}

TEST_F(sim_disk, a_full_disk_takes_what_fits_and_overwrites) {
    disk.set_capacity(4 * unit);
    auto f = durable_file("f", 'a', 3);
    EXPECT_EQ(disk.space().get().free_bytes, unit);
    auto two = f->allocate(2 * unit);
    EXPECT_EQ(error_of(f->write(3 * unit, two.get(), two.size())), ENOSPC);
    EXPECT_EQ(f->size().get(), 4 * unit);
    EXPECT_EQ(disk.space().get().free_bytes, 0u);
    write(*f, 0, 'b', 4);
    disk.remove("f").get();
    EXPECT_EQ(disk.space().get().free_bytes, 0u); // still open
    f->close().get();
    EXPECT_EQ(disk.space().get().free_bytes, 4 * unit);
}

TEST_F(sim_disk, a_flipped_bit_stays_flipped_after_a_cut) {
    durable_file("f", 'a')->close().get();
    disk.flip_bit("f", 100, 1);
    EXPECT_EQ(content(disk, "f")[100], 'c');
    EXPECT_EQ(content(*disk.crash_image(crash_policy::drop_all()), "f")[100], 'c');
    EXPECT_EQ(content(*disk.crash_image(disk.operations_count() - 1, crash_policy::drop_all()), "f")[100], 'a');
}

TEST_F(sim_disk, slow_operations_overtake_each_other) {
    disk.slow(20);
    auto f = disk.open("f", open_mode::create).get();
    auto block = f->allocate(unit);
    std::vector<seastar::future<>> writes;
    for (uint64_t i = 0; i < 20; ++i) {
        writes.push_back(f->write(i * unit, block.get(), unit));
    }
    for (auto& w : writes) {
        w.get();
    }
    std::vector<uint64_t> order;
    for (const auto& op : disk.operations()) {
        order.push_back(op.position);
    }
    EXPECT_FALSE(std::ranges::is_sorted(order));
    f->close().get();
}

TEST_F(sim_disk, a_held_operation_waits_for_its_release) {
    auto f = durable_file("f", 'a');
    disk.hold({.kind = op_kind::flush, .path = "f"});
    auto flush = f->flush();
    while (disk.held_count() == 0) {
        seastar::yield().get();
    }
    EXPECT_FALSE(flush.available());
    disk.release();
    flush.get();
    f->close().get();
}

TEST(sim_extents, agree_with_a_plain_string) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        std::mt19937_64 random(seed);
        sim::extents extents;
        std::string bytes(1000, '\0');
        std::vector<bool> is_written(bytes.size());
        for (int step = 0; step < 100; ++step) {
            const auto at = random() % bytes.size();
            const auto length = random() % (bytes.size() - at + 1);
            if (random() % 8 == 0) {
                extents.cut(at);
                std::fill(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.end(), '\0');
                std::fill(is_written.begin() + static_cast<ptrdiff_t>(at), is_written.end(), false);
                continue;
            }
            const std::string piece(length, static_cast<char>(random() % 4));
            extents.write(at, sim::slice::copy_of(piece));
            bytes.replace(at, length, piece);
            std::fill_n(is_written.begin() + static_cast<ptrdiff_t>(at), length, true);
        }
        std::string read(bytes.size(), 'x');
        extents.read(0, read);
        ASSERT_EQ(read, bytes) << "seed " << seed;
        const auto from = random() % bytes.size();
        std::string part((bytes.size() - from) / 2, 'x');
        extents.read(from, part);
        ASSERT_EQ(part, bytes.substr(from, part.size())) << "seed " << seed;
        const auto written = static_cast<uint64_t>(std::ranges::count(is_written, true));
        ASSERT_EQ(extents.allocated_bytes(), written) << "seed " << seed;
        ASSERT_EQ(extents.hole_bytes(0, bytes.size()), bytes.size() - written) << "seed " << seed;
    }
}

TEST_F(sim_disk, reads_are_counted) {
    auto f = durable_file("f", 'a');
    f->read(10, 100).get();
    EXPECT_EQ(disk.reads().reads_count, 1u);
    EXPECT_EQ(disk.reads().bytes, 100u);
    f->close().get();
}

} // namespace

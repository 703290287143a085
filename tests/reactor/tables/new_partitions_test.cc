// Who keeps a mark knows every partition there is, whatever became of the files meanwhile, and is not told all of them again.

#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>

#include "tests/lib/running_engine.hh"

namespace {

using namespace tables;
using namespace testing_lib;

// What is known on one shard.
struct knowledge {
    partitions_mark mark;
    std::set<std::string> keys;
};

class new_partitions : public ::testing::Test {
protected:
    new_partitions() : engine(std::make_unique<running_engine>(disk, options())), table(engine->create("Cities")) {}

    static running_engine::options options() {
        running_engine::options o{.shards_count = seastar::smp::count};
        o.flush.block_rows_max = 4;
        return o;
    }

    void restart() {
        engine.reset();
        engine = std::make_unique<running_engine>(disk, options());
        known.clear();
    }

    void write(const std::string& partition_key, const std::string& row_key = "r") {
        row_batch_builder rows(table);
        rows.add_put(partition_key, row_key, std::vector<property>{{"n", value::of_int32(1)}});
        ASSERT_TRUE((*engine)->upsert((*engine)->owner_of(partition_key), rows.take()).get());
        written.insert(partition_key);
    }

    // On all shards; how many keys were shown.
    size_t look() {
        size_t shown = 0;
        known.resize(seastar::smp::count);
        for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
            shown += engine->all()
                         .invoke_on(shard,
                                    [this, &k = known[shard]](tables::engine& e) {
                                        return seastar::async([this, &k, &e] { return look_here(e, k); });
                                    })
                         .get();
        }
        return shown;
    }
    size_t look_here(tables::engine& e, knowledge& k) const {
        size_t shown = 0;
        const auto done = e.visit_new_partitions_here(table, k.mark, [&](std::string_view key) {
                               ++shown;
                               k.keys.emplace(key);
                               return true;
                           }).get();
        EXPECT_TRUE(done);
        return shown;
    }
    std::set<std::string> all_known() const {
        std::set<std::string> all;
        for (const auto& k : known) {
            all.insert(k.keys.begin(), k.keys.end());
        }
        return all;
    }

    sim::sim_disk disk{{.operations = sim::history::drop, .yields_max = 0}};
    std::unique_ptr<running_engine> engine;
    base::table_id table;
    std::set<std::string> written;
    std::vector<knowledge> known; // by shard
};

TEST_F(new_partitions, are_shown_once) {
    write("a");
    write("b");
    EXPECT_EQ(look(), 2u);
    write("a", "other row");
    EXPECT_EQ(look(), 0u);
    write("c");
    EXPECT_EQ(look(), 1u);
    EXPECT_EQ(all_known(), written);
}

TEST_F(new_partitions, a_flush_and_a_merge_bring_nothing_new) {
    write("a");
    EXPECT_EQ(look(), 1u);
    engine->flush();
    EXPECT_EQ(look(), 0u);
    write("b");
    EXPECT_EQ(look(), 1u);
    engine->flush();
    engine->compact();
    EXPECT_EQ(look(), 0u);
}

TEST_F(new_partitions, are_found_in_segments_that_came_meanwhile) {
    write("a");
    look();
    write("b");
    engine->flush();
    EXPECT_GE(look(), 1u);
    EXPECT_EQ(all_known(), written);
    write("c");
    engine->flush();
    engine->compact();
    look();
    EXPECT_EQ(all_known(), written);
}

TEST_F(new_partitions, a_start_shows_all) {
    write("a");
    engine->flush();
    write("b");
    restart();
    look();
    EXPECT_EQ(all_known(), written);
}

TEST_F(new_partitions, of_a_dropped_table_are_an_error) {
    write("a");
    ASSERT_TRUE((*engine)->drop_table("account", "Cities").get());
    partitions_mark mark;
    const auto done = (*engine)->visit_new_partitions_here(table, mark, [](std::string_view) { return true; }).get();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, base::errc::table_not_found);
    EXPECT_EQ(mark, partitions_mark());
}

TEST_F(new_partitions, none_is_missed_in_any_order_of_events) {
    const auto seed = std::random_device()();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 600; ++i) {
        switch (random() % 16) {
        case 0: engine->flush(); break;
        case 1: engine->compact(); break;
        case 2: restart(); break;
        case 3:
        case 4:
        case 5:
            look();
            ASSERT_EQ(all_known(), written);
            ASSERT_EQ(look(), 0u);
            break;
        default: write(fmt::format("p{}", random() % 200), fmt::format("{}", random() % 3));
        }
    }
}

} // namespace

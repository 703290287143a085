// The engine as its callers see it, by example. The model test covers the combinations.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>
#include <seastar/core/when_all.hh>

#include "tables/core/key.hh"
#include "tests/lib/filter_predicate.hh"
#include "tests/lib/running_engine.hh"

namespace {

using namespace tables;
using namespace testing_lib;
using base::errc;

constexpr auto any = std::nullopt;

class engine_test : public ::testing::Test {
protected:
    engine_test() : engine(std::make_unique<running_engine>(disk, options())), table(engine->create("Cities")) {}

    static running_engine::options options() {
        running_engine::options o{.shards_count = seastar::smp::count};
        o.flush.block_rows_max = 4;
        return o;
    }

    void restart() {
        engine.reset();
        engine = std::make_unique<running_engine>(disk, options());
    }

    commit_outcome write(operation_kind kind, std::string pk, std::string rk, int32_t number = 1,
                         std::optional<base::tick> if_match = any) {
        row_batch_builder rows(table);
        if (kind == operation_kind::remove) {
            rows.add_remove(pk, rk);
        } else {
            rows.add_put(pk, rk, std::vector<property>{{"n", value::of_int32(number)}});
        }
        return (*engine)->commit({rows.take(), {{kind, if_match}}}).get();
    }
    std::string read(std::string pk, std::string rk) {
        auto found = (*engine)->get(table, pk, rk).get();
        return found ? to_text(*found->rows().begin()) : std::string(name(found.error().code));
    }
    scan_page scan(std::vector<key_range> ranges, size_t rows_max = page_rows_max) {
        return (*engine)->scan({.table = table, .ranges = std::move(ranges), .rows_max = rows_max}).get().value();
    }
    static std::string texts(const scan_page& page) {
        std::string all;
        for (const auto& row : page.rows) {
            all += std::string(row.partition_key) + std::string(row.row_key) + " ";
        }
        return all;
    }

    sim::sim_disk disk;
    std::unique_ptr<running_engine> engine;
    base::table_id table;
};

TEST_F(engine_test, an_entity_is_there_after_its_insert_and_after_a_restart) {
    ASSERT_TRUE(write(operation_kind::insert, "at", "wien", 19));
    EXPECT_EQ(read("at", "wien"), "at|wien|n=i19,");
    restart();
    EXPECT_EQ(read("at", "wien"), "at|wien|n=i19,");
    EXPECT_EQ(write(operation_kind::insert, "at", "wien").error().error.code, errc::entity_exists);
}

TEST_F(engine_test, timestamps_grow_for_each_entity_also_over_a_restart_with_the_clock_set_back) {
    auto before = write(operation_kind::insert, "p", "r").value();
    for (int i = 0; i < 10; ++i) {
        auto after = write(operation_kind::insert_or_merge, "p", "r", i).value();
        EXPECT_GT(after, before);
        before = after;
    }
    restart();
    engine->clock().set(base::tick{1000});
    EXPECT_GT(write(operation_kind::insert_or_merge, "p", "r").value(), before);
}

TEST_F(engine_test, a_stale_etag_changes_nothing) {
    const auto first = write(operation_kind::insert, "p", "r", 1).value();
    const auto second = write(operation_kind::replace, "p", "r", 2, first).value();
    auto stale = write(operation_kind::replace, "p", "r", 3, first);
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().error.code, errc::condition_not_met);
    EXPECT_EQ(read("p", "r"), "p|r|n=i2,");
    EXPECT_TRUE(write(operation_kind::remove, "p", "r", 0, second));
    EXPECT_EQ(read("p", "r"), "entity_not_found");
}

TEST_F(engine_test, a_transaction_that_fails_leaves_nothing_behind) {
    ASSERT_TRUE(write(operation_kind::insert, "p", "old"));
    row_batch_builder rows(table);
    rows.add_put("p", "new", {});
    rows.add_put("p", "old", {});
    auto result = (*engine)->commit({rows.take(), {{operation_kind::insert, any}, {operation_kind::insert, any}}}).get();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().index, 1u);
    EXPECT_EQ(read("p", "new"), "entity_not_found");
}

TEST_F(engine_test, only_one_of_many_concurrent_inserts_of_a_row_wins) {
    std::vector<seastar::future<commit_outcome>> outcomes;
    for (int i = 0; i < 20; ++i) {
        row_batch_builder rows(table);
        rows.add_put("p", "r", std::vector<property>{{"n", value::of_int32(i)}});
        outcomes.push_back((*engine)->commit({rows.take(), {{operation_kind::insert, any}}}));
    }
    auto done = seastar::when_all_succeed(std::move(outcomes)).get();
    EXPECT_EQ(std::ranges::count_if(done, [](const auto& o) { return o.has_value(); }), 1);
}

TEST_F(engine_test, a_scan_is_in_key_order_over_all_shards_and_pages_without_gaps) {
    std::set<std::string> expected;
    for (int i = 0; i < 300; ++i) {
        const auto pk = "p" + std::to_string(i % 37);
        const auto rk = "r" + std::to_string(i);
        ASSERT_TRUE(write(operation_kind::insert, pk, rk, i));
        expected.insert(pk + "|" + rk);
    }
    std::vector<std::string> found;
    uint64_t examined = 0;
    for (std::optional<entity_key> from = entity_key{}; from;) {
        auto page = scan({{*from, std::nullopt}}, 50);
        EXPECT_LE(page.rows.size(), 50u);
        for (const auto& row : page.rows) {
            found.push_back(std::string(row.partition_key) + "|" + std::string(row.row_key));
        }
        examined += page.rows_examined;
        from = page.next;
    }
    EXPECT_TRUE(std::ranges::is_sorted(
        found, {}, [](const auto& text) { return std::pair(text.substr(0, text.find('|')), text.substr(text.find('|') + 1)); }));
    EXPECT_EQ(std::set(found.begin(), found.end()), expected);
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_LE(examined, found.size() * 3 / 2) << "rows decoded at most 1.5 times those returned";
}

TEST_F(engine_test, newest_n_of_a_partition_is_its_first_n_rows) {
    for (int64_t i = 0; i < 50; ++i) {
        ASSERT_TRUE(
            write(operation_kind::insert, "series", base::inverted_text(base::tick{1'000'000 + i}), static_cast<int32_t>(i)));
    }
    auto page = scan({key_range::partition("series")}, 3);
    ASSERT_EQ(page.rows.size(), 3u);
    EXPECT_EQ(page.rows[0].row.find("n")->as_int32(), 49);
    EXPECT_EQ(page.rows[2].row.find("n")->as_int32(), 47);
    EXPECT_EQ(page.rows_examined, 3u);
}

TEST_F(engine_test, ranges_predicates_and_projections_cut_a_scan_down) {
    for (auto rk : {"a", "b", "c", "d"}) {
        ASSERT_TRUE(write(operation_kind::insert, "p", rk, rk[0]));
    }
    EXPECT_EQ(texts(scan({key_range::point("p", "a"), {{"p", "c"}, entity_key{"p", "d"}}})), "pa pc ");
    struct larger final : row_predicate {
        bool matches(const entity_view& e) override { return e.properties.find("n")->as_int32() > 'b'; }
    };
    struct larger_source final : predicate_source {
        std::unique_ptr<row_predicate> make() const override { return std::make_unique<larger>(); }
    } predicate;
    auto page = (*engine)
                    ->scan({.table = table,
                            .ranges = {key_range::partition("p")},
                            .predicate = &predicate,
                            .columns = std::vector<std::string>{"other"}})
                    .get()
                    .value();
    EXPECT_EQ(texts(page), "pc pd ");
    EXPECT_EQ(page.rows[0].row.size(), 0u);
    EXPECT_FALSE(page.next);
}

TEST_F(engine_test, blocks_that_cannot_match_are_not_read) {
    for (int32_t i = 0; i < 64; ++i) {
        ASSERT_TRUE(write(operation_kind::insert, "p", fmt::format("{:02}", i), i));
    }
    engine->flush();
    const auto find = [this](const char* filter) {
        const filter_predicate predicate(filter);
        return (*engine)->scan({.table = table, .ranges = {key_range::all()}, .predicate = &predicate}).get().value();
    };
    EXPECT_EQ(find("n ge 0").blocks_read, 16u);
    auto page = find("n eq 21");
    EXPECT_EQ(texts(page), "p21 ");
    EXPECT_EQ(page.blocks_read, 1u);
    EXPECT_EQ(find("n gt 100 or other eq 1").blocks_read, 0u);
    EXPECT_EQ(find("not (n lt 60)").blocks_read, 1u);
}

TEST_F(engine_test, a_block_that_cannot_match_still_hides_older_versions) {
    for (int32_t i = 0; i < 8; ++i) {
        ASSERT_TRUE(write(operation_kind::insert, "p", std::to_string(i), 100));
    }
    engine->flush();
    for (int32_t i = 0; i < 4; ++i) {
        ASSERT_TRUE(write(operation_kind::replace, "p", std::to_string(i), 1));
    }
    const filter_predicate predicate("n gt 50");
    const auto find = [&] {
        return texts((*engine)->scan({.table = table, .ranges = {key_range::all()}, .predicate = &predicate}).get().value());
    };
    EXPECT_EQ(find(), "p4 p5 p6 p7 ");
    engine->flush();
    EXPECT_EQ(find(), "p4 p5 p6 p7 ");
}

TEST_F(engine_test, keys_sort_by_utf_16_unit) {
    const std::string wide = collate("\xF0\x9F\x98\x80"); // U+1F600: surrogates, before U+FF5E
    const std::string narrow = collate("\xEF\xBD\x9E");   // U+FF5E
    ASSERT_TRUE(write(operation_kind::insert, "p", narrow));
    ASSERT_TRUE(write(operation_kind::insert, "p", wide));
    EXPECT_EQ(texts(scan({key_range::all()})), "p" + wide + " p" + narrow + " ");
}

TEST_F(engine_test, a_dropped_table_is_gone_and_its_name_is_free_at_once) {
    ASSERT_TRUE(write(operation_kind::insert, "p", "r"));
    ASSERT_TRUE((*engine)->drop_table("account", "cities").get());
    EXPECT_EQ(read("p", "r"), "table_not_found");
    EXPECT_EQ(write(operation_kind::insert, "p", "r").error().error.code, errc::table_not_found);
    const auto old = table;
    table = engine->create("Cities");
    EXPECT_NE(table, old);
    EXPECT_EQ(read("p", "r"), "entity_not_found");
    restart();
    EXPECT_EQ(read("p", "r"), "entity_not_found");
    EXPECT_EQ(engine->opened()->rows_of_dropped_tables_count, 1u);
}

TEST_F(engine_test, drops_and_creates_beside_writes_and_scans_are_safe) {
    auto writer = seastar::async([this] {
        for (int i = 0; i < 300; ++i) {
            row_batch_builder rows(table);
            rows.add_put("p" + std::to_string(i % 11), std::to_string(i), {});
            (void)(*engine)->commit({rows.take(), {{operation_kind::insert, any}}}).get();
        }
    });
    auto scanner = seastar::async([this] {
        for (int i = 0; i < 100; ++i) {
            auto page = (*engine)->scan({.table = table, .ranges = {key_range::all()}}).get();
            EXPECT_TRUE(page || page.error().code == errc::table_not_found);
        }
    });
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE((*engine)->drop_table("account", "Cities").get());
        table = engine->create("Cities");
        EXPECT_TRUE(scan({key_range::all()}).rows.size() <= 300);
    }
    writer.get();
    scanner.get();
}

TEST_F(engine_test, blind_merges_add_up) {
    const auto owner = (*engine)->owner_of("series");
    for (auto field : {"a", "b", "a"}) {
        row_batch_builder rows(table);
        rows.add(row_kind::merge, "series", "t", std::vector<property>{{field, value::of_int32(field[0])}});
        ASSERT_TRUE((*engine)->upsert(owner, rows.take()).get());
    }
    EXPECT_EQ(read("series", "t"), "series|t|a=i97,b=i98,");
    restart();
    EXPECT_EQ(read("series", "t"), "series|t|a=i97,b=i98,");
}

TEST_F(engine_test, blind_merges_share_a_timestamp_until_somebody_looks) {
    const auto owner = (*engine)->owner_of("series");
    const auto merge = [&](std::string row_key) {
        row_batch_builder rows(table);
        rows.add(row_kind::merge, "series", row_key, std::vector<property>{{"n", value::of_int32(1)}});
        EXPECT_TRUE((*engine)->upsert(owner, rows.take()).get());
    };
    const auto timestamp_of = [&](std::string row_key) {
        return (*engine)->get(table, "series", row_key).get().value().rows().begin()->timestamp;
    };
    // They are fast enough, as a rule, for one value.
    const auto share_one = [&] {
        merge("a"), merge("b");
        return timestamp_of("a") == timestamp_of("b");
    };
    EXPECT_TRUE(share_one() || share_one() || share_one());
    auto seen = timestamp_of("a");
    for (int i = 0; i < 100; ++i) {
        merge("a");
        const auto now = timestamp_of("a");
        ASSERT_GT(now, seen);
        // Whoever rests a condition on what it saw before must not pass.
        ASSERT_FALSE(write(operation_kind::replace, "series", "a", 2, seen));
        seen = now;
    }
}

TEST_F(engine_test, a_full_memory_budget_is_emptied_into_segments) {
    engine.reset();
    running_engine::options options{.shards_count = seastar::smp::count, .memtable_bytes_max = 4 << 20};
    options.flush.memtable_bytes = 2 << 20;
    engine = std::make_unique<running_engine>(disk, options);
    const std::string big(30'000, 'x');
    for (int i = 0; i < 1000; ++i) {
        row_batch_builder rows(table);
        rows.add_put("p", std::to_string(i), std::vector<property>{{"s", value::of_string(big)}});
        ASSERT_TRUE((*engine)->commit({rows.take(), {{operation_kind::insert, any}}}).get());
    }
    for (int i = 0; i < 1000; i += 100) {
        EXPECT_EQ(read("p", std::to_string(i)).size(), fmt::format("p|{}|s=s{},", i, big).size());
    }
}

// It is looked up in memory first; then the write waits until memory is flushed, and the entity is in a segment.
TEST_F(engine_test, a_condition_is_looked_at_again_after_a_wait_for_memory) {
    engine.reset();
    engine = std::make_unique<running_engine>(
        disk, running_engine::options{.shards_count = seastar::smp::count, .memtable_bytes_max = 2 << 20});
    const std::string big(30'000, 'x');
    for (int i = 0; i < 200; ++i) {
        const auto insert = [&] {
            row_batch_builder rows(table);
            rows.add_put("p", std::to_string(i), std::vector<property>{{"s", value::of_string(big)}});
            return (*engine)->commit({rows.take(), {{operation_kind::insert, any}}}).get();
        };
        ASSERT_TRUE(insert()) << i;
        // Takes as much room as the first one, so it is always this one that has to wait.
        const auto again = insert();
        ASSERT_FALSE(again) << i;
        ASSERT_EQ(again.error().error.code, errc::entity_exists) << i;
    }
}

TEST_F(engine_test, a_full_memory_budget_that_cannot_be_emptied_is_an_error_and_not_a_failure) {
    engine.reset();
    engine = std::make_unique<running_engine>(
        disk, running_engine::options{.shards_count = seastar::smp::count, .memtable_bytes_max = 4 << 20});
    const std::string big(30'000, 'x');
    errc last = errc::io_error;
    disk.fail_at({.at = {.kind = sim::op_kind::create, .path = "segments/*"}, .times = 1'000'000, .error = ENOSPC});
    for (int i = 0; i < 1000 && last != errc::out_of_space; ++i) {
        row_batch_builder rows(table);
        rows.add_put("p", std::to_string(i), std::vector<property>{{"s", value::of_string(big)}});
        auto result = (*engine)->commit({rows.take(), {{operation_kind::insert, any}}}).get();
        last = result ? errc::io_error : result.error().error.code;
    }
    EXPECT_EQ(last, errc::out_of_space);
    EXPECT_EQ(read("p", "0").substr(0, 8), "p|0|s=sx");
}

TEST_F(engine_test, a_hot_partition_is_told_to_come_back_and_the_others_are_served) {
    engine.reset();
    engine = std::make_unique<running_engine>(
        disk, running_engine::options{.shards_count = 1, .admission = {.writes_max = 100, .partition_writes_max = 20}});
    const auto start = [&](const std::string& pk, int id) {
        row_batch_builder rows(table);
        rows.add_put(pk, std::to_string(id), std::vector<property>{{"n", value::of_int32(id)}});
        return (*engine)->commit({rows.take(), {{operation_kind::insert, any}}});
    };
    std::vector<seastar::future<commit_outcome>> hot, others;
    for (int i = 0; i < 50; ++i) {
        hot.push_back(start("hot", i));
    }
    for (int i = 0; i < 30; ++i) {
        others.push_back(start("cold" + std::to_string(i), i));
    }
    int done = 0;
    for (auto& f : hot) {
        const auto outcome = f.get();
        done += outcome.has_value();
        EXPECT_TRUE(outcome || outcome.error().error.code == errc::busy);
    }
    EXPECT_EQ(done, 20);
    for (auto& f : others) {
        EXPECT_TRUE(f.get());
    }
    EXPECT_TRUE(start("hot", 1000).get()) << "there is room again";
}

TEST_F(engine_test, a_directory_of_any_core_count_opens_with_any_other) {
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(write(operation_kind::insert, "p" + std::to_string(i), "r", i));
    }
    for (unsigned shards : {1u, seastar::smp::count, 1u}) {
        engine.reset();
        engine = std::make_unique<running_engine>(disk, running_engine::options{.shards_count = shards});
        ASSERT_TRUE(write(operation_kind::insert_or_merge, "p0", "r", 7));
        for (int i = 1; i < 100; ++i) {
            const auto pk = "p" + std::to_string(i);
            EXPECT_EQ(read(pk, "r"), pk + "|r|n=i" + std::to_string(i) + ",");
        }
    }
}

// T99: a scan that runs out of time gives what it has, and where to go on.
TEST_F(engine_test, a_scan_ends_at_its_deadline_and_goes_on_from_there) {
    for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(write(operation_kind::insert, "p", fmt::format("{:03}", i)));
    }
    std::string found;
    size_t pages = 0;
    for (std::optional<entity_key> from = entity_key{"p", ""}; from; ++pages) {
        auto page = (*engine)
                        ->scan({.table = table, .ranges = {{*from, std::nullopt}}, .deadline = std::chrono::steady_clock::now()})
                        .get();
        ASSERT_TRUE(page);
        ASSERT_FALSE(page->rows.empty()); // or it would never end
        found += texts(*page);
        from = page->next;
    }
    EXPECT_GT(pages, 2u);
    EXPECT_EQ(found, texts(scan({key_range::all()})));
}

// Lets nothing through.
class nothing final : public predicate_source {
    class none final : public row_predicate {
        bool matches(const entity_view&) override { return false; }
    };
    std::unique_ptr<row_predicate> make() const override { return std::make_unique<none>(); }
};

TEST_F(engine_test, a_scan_that_finds_nothing_ends_at_its_deadline_too) {
    for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(write(operation_kind::insert, fmt::format("p{}", i % 2), fmt::format("{:03}", i)));
    }
    const nothing predicate;
    for (const auto& range : {key_range::all(), key_range::partition("p1")}) {
        size_t pages = 0;
        for (std::optional<entity_key> from = range.from; from; ++pages) {
            auto page = (*engine)
                            ->scan({.table = table,
                                    .ranges = {{*from, range.before}},
                                    .predicate = &predicate,
                                    .deadline = std::chrono::steady_clock::now()})
                            .get();
            ASSERT_TRUE(page);
            EXPECT_TRUE(page->rows.empty());
            from = page->next;
        }
        EXPECT_GT(pages, 2u);
    }
}

// All of them would not fit into one record of the log.
TEST(engine_transaction, small_merges_into_many_large_entities_are_one_transaction) {
    sim::sim_disk disk({.operations = sim::history::drop});
    const running_engine::options options{.shards_count = seastar::smp::count, .log_file_bytes = 32u << 20};
    auto engine = std::make_unique<running_engine>(disk, options);
    const auto table = engine->create("Large");
    constexpr int entities = 12;
    const std::string part(60'000, 'x');
    std::vector<std::string> names;
    for (int i = 0; i < 15; ++i) {
        names.push_back("p" + std::to_string(10 + i));
    }
    std::vector<property> large{{"n", value::of_int32(0)}};
    for (const auto& name : names) {
        large.push_back({name, value::of_binary(part)});
    }
    for (int i = 0; i < entities; ++i) {
        row_batch_builder rows(table);
        rows.add_put("p", std::to_string(10 + i), large);
        ASSERT_TRUE((*engine)->commit({rows.take(), {{operation_kind::insert, any}}}).get());
        if (i % 2 == 0) {
            engine->flush();
        }
    }
    base::tick before{0};
    for (int round = 1; round < 4; ++round) {
        row_batch_builder rows(table);
        std::vector<operation> operations;
        for (int i = 0; i < entities; ++i) {
            rows.add_put("p", std::to_string(10 + i), std::vector<property>{{"n", value::of_int32(round)}});
            operations.push_back({operation_kind::merge, round == 1 ? any : std::optional(before)});
        }
        const auto done = (*engine)->commit({rows.take(), operations}).get();
        ASSERT_TRUE(done) << base::to_string(done.error().error);
        before = *done;
        if (round == 2) {
            engine->flush();
        }
    }
    for (const bool is_restarted : {false, true}) {
        for (int i = 0; i < entities; ++i) {
            const auto found = (*engine)->get(table, "p", std::to_string(10 + i)).get();
            ASSERT_TRUE(found);
            const auto row = *found->rows().begin();
            EXPECT_EQ(row.row.size(), 16u);
            EXPECT_EQ(row.row.find("n")->as_int32(), 3);
            EXPECT_EQ(row.timestamp, before);
        }
        if (!is_restarted) {
            engine.reset();
            engine = std::make_unique<running_engine>(disk, options);
        }
    }
}

TEST_F(engine_test, conditions_hold_for_entities_in_segments_with_merges_over_them) {
    for (const auto* rk : {"a", "b", "c"}) {
        ASSERT_TRUE(write(operation_kind::insert, "p", rk, 1));
    }
    engine->flush();
    row_batch_builder one(table), rows(table);
    one.add_put("p", "a", std::vector<property>{{"n", value::of_int32(2)}});
    const auto put = one.take();
    const auto reader = row_batch_reader::open(put);
    rows.add_row(row_kind::merge, "p", "a", reader->begin()->row);
    const auto owner = (*engine)->owner_of("p");
    ASSERT_TRUE((*engine)->upsert(owner, rows.take()).get());
    const auto etag = (*engine)->get(table, "p", "a").get()->rows().begin()->timestamp;
    EXPECT_EQ(write(operation_kind::insert, "p", "a").error().error.code, errc::entity_exists);
    EXPECT_EQ(write(operation_kind::replace, "p", "a", 3, base::tick{1}).error().error.code, errc::condition_not_met);
    EXPECT_TRUE(write(operation_kind::replace, "p", "a", 3, etag));
    EXPECT_TRUE(write(operation_kind::remove, "p", "b"));
    EXPECT_EQ(write(operation_kind::remove, "p", "b").error().error.code, errc::entity_not_found);
    EXPECT_TRUE(write(operation_kind::merge, "p", "c", 4));
    EXPECT_EQ(read("p", "a"), "p|a|n=i3,");
    EXPECT_EQ(read("p", "c"), "p|c|n=i4,");
}

} // namespace

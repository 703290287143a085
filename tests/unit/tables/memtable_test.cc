#include "tables/core/memtable.hh"

#include <gtest/gtest.h>

#include <random>

#include "tables/core/limits.hh"
#include "tests/unit/tables/memtable_model.hh"
#include "tests/unit/tables/random_rows.hh"

namespace {

using namespace tables;
using tables_test::memtable_model;

constexpr base::sequence everything{UINT64_MAX};

// A memtable and the model of it, written to side by side.
class pair_of_tables {
public:
    void insert(const memtable_model::key& key, memtable_model::write w) {
        std::vector<property> properties;
        for (const auto& [name, number] : w.values) {
            properties.push_back({name, value::of_int64(number)});
        }
        std::string packed;
        pack_row(properties, packed);
        memtable::write real{key.first, key.second, {w.sequence}, w.kind, base::tick{w.timestamp}, {}, packed};
        if (w.kind != row_kind::remove) {
            real.shape = table.intern(shape_of(properties));
        }
        table.insert(real);
        model.insert(key, std::move(w));
    }

    void put(const memtable_model::key& key, uint64_t sequence, memtable_model::properties values) {
        insert(key, {sequence, row_kind::put, static_cast<int64_t>(sequence), std::move(values)});
    }
    void merge(const memtable_model::key& key, uint64_t sequence, memtable_model::properties values) {
        insert(key, {sequence, row_kind::merge, static_cast<int64_t>(sequence), std::move(values)});
    }
    void remove(const memtable_model::key& key, uint64_t sequence) {
        insert(key, {sequence, row_kind::remove, static_cast<int64_t>(sequence), {}});
    }

    memtable table;
    memtable_model model;
};

memtable_model::state resolved(std::string_view pk, std::string_view rk, std::span<const row_version> chain) {
    row_resolver resolver;
    const auto row = resolver.resolve({pk, rk}, chain);
    memtable_model::state state{row.kind, row.timestamp.value, {}};
    for (size_t i = 0; i < row.row.size(); ++i) {
        state.values.emplace(row.row[i].name, row.row[i].value.as_int64());
    }
    return state;
}

void expect_is_chain(std::span<const row_version> chain, uint64_t snapshot) {
    for (size_t i = 0; i < chain.size(); ++i) {
        ASSERT_LE(chain[i].sequence.value, snapshot);
        ASSERT_TRUE(i == 0 || chain[i].sequence <= chain[i - 1].sequence);
        ASSERT_TRUE(i + 1 == chain.size() || chain[i].kind == row_kind::merge);
    }
}

// Everything from `from` on, as a cursor shows it.
void expect_same(const pair_of_tables& both, uint64_t snapshot, const memtable_model::key& from = {}) {
    const auto all = both.model.seen(snapshot);
    auto expected = all.lower_bound(from);
    memtable::cursor cursor(both.table, {snapshot});
    for (cursor.seek(from.first, from.second); !cursor.is_end(); cursor.next(), ++expected) {
        ASSERT_NE(expected, all.end());
        ASSERT_EQ(cursor.partition_key(), expected->first.first);
        ASSERT_EQ(cursor.row_key(), expected->first.second);
        ASSERT_NO_FATAL_FAILURE(expect_is_chain(cursor.versions(), snapshot));
        ASSERT_EQ(resolved(cursor.partition_key(), cursor.row_key(), cursor.versions()), expected->second)
            << cursor.partition_key() << ' ' << cursor.row_key() << " at " << snapshot;
    }
    ASSERT_EQ(expected, all.end());
}

void expect_finds(const pair_of_tables& both, const memtable_model::key& key, uint64_t snapshot) {
    std::vector<row_version> versions;
    both.table.find(key.first, key.second, {snapshot}, versions);
    const auto at = both.model.rows().find(key);
    const auto expected = at == both.model.rows().end() ? std::nullopt : memtable_model::seen(at->second, snapshot);
    ASSERT_EQ(versions.empty(), !expected.has_value());
    if (expected) {
        ASSERT_EQ(resolved(key.first, key.second, versions), *expected);
    }
}

class random_writes {
public:
    random_writes(uint64_t seed, uint64_t rows_per_partition, unsigned merges_percent = 60)
        : random(seed), _rows_per_partition(rows_per_partition), _merges_percent(merges_percent) {}

    memtable_model::key key() {
        const auto partition = random() % 7;
        const auto number = random() % _rows_per_partition;
        switch (partition % 3) {
        case 0: return {std::to_string(partition), base::inverted_text(base::tick{static_cast<int64_t>(number * 997)})};
        case 1: return {"host=" + std::to_string(partition), std::to_string(number)};
        default: return {"\xee\x9f\x98" + std::to_string(partition), std::string(number % 30, 'x') + std::to_string(number / 30)};
        }
    }

    memtable_model::write write(uint64_t sequence) {
        const auto kind = random() % 100 < _merges_percent ? row_kind::merge
                          : random() % 3 == 0              ? row_kind::remove
                                                           : row_kind::put;
        memtable_model::write w{sequence, kind, static_cast<int64_t>(random() % 1'000'000), {}};
        for (uint64_t n = kind == row_kind::remove ? 0 : random() % 5; n > 0; --n) {
            w.values["name" + std::to_string(random() % 12)] = static_cast<int64_t>(random() % 1'000);
        }
        return w;
    }

    std::mt19937_64 random;

private:
    uint64_t _rows_per_partition;
    unsigned _merges_percent;
};

struct model_run {
    uint64_t rows_per_partition;
    size_t operations;
    unsigned late_percent;
    unsigned merges_percent = 60;
};

// `folds_most` becomes the number of folds that were there at one time, if it was less.
void expect_model_agrees(uint64_t seed, const model_run& run, uint64_t& folds_most) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_writes writes(seed, run.rows_per_partition, run.merges_percent);
    auto& random = writes.random;
    pair_of_tables both;
    uint64_t newest = 1'000;
    for (size_t i = 1; i <= run.operations; ++i) {
        const bool is_late = random() % 100 < run.late_percent;
        const uint64_t sequence = is_late ? newest - std::min(newest, random() % 2'000) : newest += random() % 3;
        both.insert(writes.key(), writes.write(sequence));
        folds_most = std::max(folds_most, both.table.facts().folds_count);
        if (i % 16 == 0) {
            ASSERT_NO_FATAL_FAILURE(expect_finds(both, writes.key(), newest - std::min(newest, random() % 3'000)));
        }
        if (i % (run.operations / 4) == 0) {
            ASSERT_NO_FATAL_FAILURE(expect_same(both, newest));
            ASSERT_NO_FATAL_FAILURE(expect_same(both, random() % (newest + 2), writes.key()));
        }
    }
    EXPECT_EQ(both.table.facts().versions_count, run.operations);
    EXPECT_EQ(both.table.facts().rows_count, both.model.rows().size());
    EXPECT_EQ(both.table.facts().dropped_properties_count, 0u);
}

TEST(memtable, agrees_with_a_model_when_writes_come_in_order) {
    uint64_t folds = 0;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        ASSERT_NO_FATAL_FAILURE(expect_model_agrees(seed, {300, 30'000, 0}, folds));
    }
    EXPECT_GT(folds, 0u);
}

TEST(memtable, agrees_with_a_model_when_writes_come_late) {
    uint64_t folds = 0;
    for (uint64_t seed = 11; seed <= 13; ++seed) {
        ASSERT_NO_FATAL_FAILURE(expect_model_agrees(seed, {100, 30'000, 30}, folds));
    }
    EXPECT_GT(folds, 0u);
}

TEST(memtable, agrees_with_a_model_of_long_chains) {
    for (const unsigned late_percent : {1, 60}) {
        uint64_t folds = 0;
        ASSERT_NO_FATAL_FAILURE(expect_model_agrees(14, {3, 10'000, late_percent, 97}, folds));
        EXPECT_GT(folds, 0u);
    }
}

TEST(memtable, agrees_with_a_model_of_many_rows) {
    uint64_t folds = 0;
    ASSERT_NO_FATAL_FAILURE(expect_model_agrees(21, {20'000, 40'000, 5}, folds));
}

TEST(memtable, newest_version_wins) {
    pair_of_tables both;
    both.put({"p", "r"}, 1, {{"a", 1}});
    both.put({"p", "r"}, 2, {{"a", 2}});
    std::vector<row_version> versions;
    both.table.find("p", "r", everything, versions);
    ASSERT_EQ(versions.size(), 1u);
    EXPECT_EQ(versions[0].row.find("a")->as_int64(), 2);
}

TEST(memtable, a_snapshot_sees_nothing_that_came_after_it) {
    pair_of_tables both;
    both.put({"p", "r"}, 5, {{"a", 1}});
    both.remove({"p", "r"}, 7);
    std::vector<row_version> versions;
    both.table.find("p", "r", {4}, versions);
    EXPECT_TRUE(versions.empty());
    both.table.find("p", "r", {6}, versions);
    ASSERT_EQ(versions.size(), 1u);
    EXPECT_EQ(versions[0].kind, row_kind::put);
    both.table.find("p", "r", {7}, versions);
    ASSERT_EQ(versions.size(), 1u);
    EXPECT_EQ(versions[0].kind, row_kind::remove);
}

TEST(memtable, a_merge_is_shown_with_what_it_was_merged_into) {
    pair_of_tables both;
    both.put({"p", "r"}, 1, {{"a", 1}});
    both.merge({"p", "r"}, 2, {{"b", 2}});
    std::vector<row_version> versions;
    both.table.find("p", "r", everything, versions);
    ASSERT_EQ(versions.size(), 2u);
    EXPECT_EQ(versions[0].kind, row_kind::merge);
    EXPECT_EQ(versions[1].kind, row_kind::put);
}

TEST(memtable, chains_of_merges_stay_short) {
    pair_of_tables both;
    std::vector<row_version> versions;
    for (uint64_t sequence = 1; sequence <= 1'000; ++sequence) {
        both.merge({"p", "r"}, sequence, {{"h" + std::to_string(sequence % 24), static_cast<int64_t>(sequence)}});
        both.table.find("p", "r", everything, versions);
        ASSERT_LE(versions.size(), merge_chain_max);
        ASSERT_EQ(versions.back().kind, row_kind::merge); // what is older elsewhere still counts
    }
    expect_same(both, 1'000);
    expect_same(both, 500);
}

TEST(memtable, folds_become_puts_over_a_put_or_a_remove) {
    for (const bool is_put : {true, false}) {
        pair_of_tables both;
        if (is_put) {
            both.put({"p", "r"}, 1, {{"base", 1}});
        } else {
            both.remove({"p", "r"}, 1);
        }
        for (uint64_t i = 0; i < merge_chain_max; ++i) {
            both.merge({"p", "r"}, 2 + i, {{"m" + std::to_string(i), 1}});
        }
        std::vector<row_version> versions;
        both.table.find("p", "r", everything, versions);
        ASSERT_EQ(versions.size(), 1u);
        EXPECT_EQ(versions[0].kind, row_kind::put);
        EXPECT_EQ(versions[0].row.size(), merge_chain_max + (is_put ? 1 : 0));
        EXPECT_EQ(versions[0].timestamp.value, static_cast<int64_t>(1 + merge_chain_max));
    }
}

TEST(memtable, a_late_write_undoes_the_folds_above_it) {
    pair_of_tables both;
    both.put({"p", "r"}, 1, {{"a", 1}, {"b", 1}});
    for (uint64_t i = 0; i < merge_chain_max; ++i) {
        both.merge({"p", "r"}, 10 + i, {{"a", static_cast<int64_t>(i)}});
    }
    ASSERT_EQ(both.table.facts().folds_count, 1u);
    both.put({"p", "r"}, 5, {{"c", 3}});
    EXPECT_EQ(both.table.facts().folds_count, 0u);
    expect_same(both, 100);
    expect_same(both, 12);
    expect_same(both, 4);
}

// --- limits of an entity, met by blind merges ---

memtable_model::properties many(size_t first, size_t count) {
    memtable_model::properties values;
    for (size_t i = first; i < first + count; ++i) {
        values["p" + std::to_string(1'000 + i)] = 1;
    }
    return values;
}

TEST(memtable, a_fold_drops_the_newest_properties_over_the_limit_and_counts_them) {
    pair_of_tables both;
    both.put({"p", "r"}, 1, many(0, 250));
    for (uint64_t i = 0; i < merge_chain_max; ++i) {
        both.merge({"p", "r"}, 2 + i, many(300 + i, 1));
    }
    std::vector<row_version> versions;
    both.table.find("p", "r", everything, versions);
    ASSERT_EQ(versions.size(), 1u);
    EXPECT_EQ(versions[0].row.size(), properties_max);
    EXPECT_TRUE(versions[0].row.find("p1300"));
    EXPECT_TRUE(versions[0].row.find("p1301"));
    EXPECT_FALSE(versions[0].row.find("p1302"));
    EXPECT_EQ(both.table.facts().dropped_properties_count, merge_chain_max - 2);
}

void insert_text(memtable& table, uint64_t sequence, row_kind kind, std::string_view name, const std::string& text) {
    const std::vector<property> properties{{name, value::of_string(text)}};
    std::string packed;
    pack_row(properties, packed);
    table.insert({"p", "r", {sequence}, kind, base::tick{1}, table.intern(shape_of(properties)), packed});
}

TEST(memtable, a_fold_drops_what_would_make_the_entity_too_large) {
    memtable table;
    const std::string large(30'000, 't'); // 60,000 bytes by the formula: 17 of them fit
    uint64_t sequence = 0;
    for (char name = 'a'; name <= 'x'; ++name) {
        insert_text(table, ++sequence, row_kind::merge, std::string(1, name), large);
    }
    insert_text(table, ++sequence, row_kind::merge, "a", "short"); // smaller than before: always has room
    for (int i = 0; i < 7; ++i) {
        insert_text(table, ++sequence, row_kind::merge, "tiny", "1");
    }
    ASSERT_EQ(sequence % merge_chain_max, 0u);
    std::vector<row_version> versions;
    table.find("p", "r", everything, versions);
    ASSERT_EQ(versions.size(), 1u);
    EXPECT_EQ(versions[0].row.size(), 18u);
    EXPECT_EQ(versions[0].row.find("a")->as_string(), "short");
    EXPECT_TRUE(versions[0].row.find("q"));
    EXPECT_FALSE(versions[0].row.find("r"));
    EXPECT_TRUE(versions[0].row.find("tiny"));
    EXPECT_EQ(table.facts().dropped_properties_count, 7u);
    const auto shown = tables_test::properties_of(versions[0].row);
    EXPECT_LE(entity_bytes(2, shown), entity_bytes_max);
}

// --- cursors ---

TEST(memtable, an_empty_one_has_no_rows) {
    const memtable table;
    memtable::cursor cursor(table, everything);
    EXPECT_TRUE(cursor.is_end());
    cursor.seek("", "");
    EXPECT_TRUE(cursor.is_end());
    EXPECT_TRUE(table.empty());
    EXPECT_EQ(table.facts().sequence_max, base::sequence{0});
}

TEST(memtable, rows_that_sort_before_all_others_are_kept_in_order) {
    pair_of_tables both;
    for (uint64_t i = 1; i <= 5'000; ++i) {
        both.put({"host=" + std::to_string(i % 3), base::inverted_text(base::tick{static_cast<int64_t>(i)}) + "99"}, i,
                 {{"a", 1}});
    }
    expect_same(both, 5'000);
    expect_same(both, 2'500);
    expect_same(both, 5'000, {"host=1", base::inverted_text(base::tick{777})});
}

TEST(memtable, rows_that_sort_behind_all_others_are_kept_in_order) {
    pair_of_tables both;
    for (uint64_t i = 1; i <= 5'000; ++i) {
        both.put({"p", std::to_string(1'000'000 + i)}, i, {{"a", 1}});
    }
    expect_same(both, 5'000);
}

TEST(memtable, seek_goes_to_the_first_key_that_is_not_before) {
    pair_of_tables both;
    both.put({"b", "5"}, 1, {});
    both.put({"d", "1"}, 2, {});
    for (const memtable_model::key& from : std::vector<memtable_model::key>{
             {"", ""}, {"a", "9"}, {"b", "4"}, {"b", "5"}, {"b", "6"}, {"c", "0"}, {"d", "1"}, {"d", "2"}, {"e", ""}}) {
        ASSERT_NO_FATAL_FAILURE(expect_same(both, 2, from));
    }
}

TEST(memtable, a_cursor_goes_on_while_rows_are_inserted) {
    for (uint64_t seed = 31; seed <= 36; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        random_writes writes(seed, 200);
        pair_of_tables both;
        uint64_t newest = 0;
        for (int i = 0; i < 1'000; ++i) {
            both.insert(writes.key(), writes.write(++newest));
        }
        const uint64_t snapshot = newest;
        const auto all = both.model.seen(snapshot);
        auto expected = all.begin();
        memtable::cursor cursor(both.table, {snapshot});
        for (cursor.seek("", ""); !cursor.is_end(); cursor.next(), ++expected) {
            ASSERT_NE(expected, all.end());
            const std::string_view shown = cursor.row_key();
            for (uint64_t n = writes.random() % 20; n > 0; --n) {
                both.insert(writes.key(), writes.write(++newest));
            }
            ASSERT_EQ(cursor.partition_key(), expected->first.first);
            ASSERT_EQ(shown, expected->first.second);
            ASSERT_EQ(resolved(cursor.partition_key(), shown, cursor.versions()), expected->second);
        }
        ASSERT_EQ(expected, all.end());
        ASSERT_GT(newest, snapshot);
    }
}

// --- batches, facts, memory ---

TEST(memtable, the_rows_of_a_batch_have_consecutive_sequences) {
    row_batch_builder builder({7});
    const std::vector<property> one{{"a", value::of_int64(1)}};
    const std::vector<property> other{{"b", value::of_string("x")}};
    builder.add_put("p", "r", one);
    builder.add(row_kind::merge, "p", "r", other);
    builder.add_remove("q", "r");
    auto bytes = builder.take();
    set_timestamp(bytes, base::tick{77});
    memtable table;
    table.insert(row_batch_reader::open(bytes).value(), {10});
    bytes.assign(bytes.size(), '\xee'); // nothing of the batch is kept
    EXPECT_EQ(table.facts().sequence_min, base::sequence{10});
    EXPECT_EQ(table.facts().sequence_max, base::sequence{12});
    std::vector<row_version> versions;
    table.find("p", "r", {10}, versions);
    ASSERT_EQ(versions.size(), 1u);
    EXPECT_EQ(versions[0].row.find("a")->as_int64(), 1);
    table.find("p", "r", everything, versions);
    ASSERT_EQ(versions.size(), 2u);
    EXPECT_EQ(versions[0].sequence, base::sequence{11});
    EXPECT_EQ(versions[0].timestamp, base::tick{77});
    EXPECT_EQ(versions[0].row.find("b")->as_string(), "x");
    table.find("q", "r", everything, versions);
    EXPECT_EQ(versions[0].kind, row_kind::remove);
}

// In whatever order partitions come in a batch, new ones and known ones: the same as row by row.
TEST(memtable, a_batch_is_its_rows_one_by_one) {
    const uint64_t seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    memtable whole;
    memtable single;
    base::sequence first{1};
    for (int batch = 0; batch < 200; ++batch) {
        row_batch_builder builder({7});
        const bool is_in_turn = random() % 3 == 0;
        const size_t partitions_count = 1 + random() % 300;
        for (size_t rows = 1 + random() % 100, i = 0; i < rows; ++i) {
            const auto pk = "p" + std::to_string(is_in_turn ? i % partitions_count : random() % partitions_count);
            const auto rk = std::to_string(random() % 200);
            if (random() % 8 == 0) {
                builder.add_remove(pk, rk);
            } else {
                const std::vector<property> values{
                    {random() % 2 == 0 ? "a" : "b", value::of_int64(static_cast<int64_t>(random()))}};
                builder.add(random() % 2 == 0 ? row_kind::put : row_kind::merge, pk, rk, values);
            }
        }
        const auto rows = row_batch_reader::open_built(builder.bytes());
        whole.insert(rows, first);
        for (const auto& row : rows) {
            memtable::write w{row.partition_key, row.row_key, first, row.kind, row.timestamp, {}, row.row.bytes()};
            if (row.kind != row_kind::remove) {
                w.shape = single.intern(row.row.of_shape());
            }
            single.insert(w);
            ++first.value;
        }
    }
    memtable::cursor left(whole, everything);
    memtable::cursor right(single, everything);
    right.seek({}, {});
    for (left.seek({}, {}); !left.is_end(); left.next(), right.next()) {
        ASSERT_FALSE(right.is_end());
        ASSERT_EQ(left.partition_key(), right.partition_key());
        ASSERT_EQ(left.row_key(), right.row_key());
        ASSERT_EQ(left.versions().size(), right.versions().size());
        for (size_t i = 0; i < left.versions().size(); ++i) {
            ASSERT_EQ(left.versions()[i].sequence, right.versions()[i].sequence);
            ASSERT_EQ(left.versions()[i].kind, right.versions()[i].kind);
            ASSERT_EQ(left.versions()[i].row.bytes(), right.versions()[i].row.bytes());
        }
    }
    EXPECT_TRUE(right.is_end());
    EXPECT_EQ(whole.facts().partitions_count, single.facts().partitions_count);
    EXPECT_EQ(whole.facts().versions_count, single.facts().versions_count);
    EXPECT_EQ(whole.facts().folds_count, single.facts().folds_count);
}

TEST(memtable, facts_count_what_was_written) {
    pair_of_tables both;
    both.merge({"p", "1"}, 9, {{"a", 1}});
    both.merge({"p", "1"}, 4, {{"a", 1}});
    both.put({"q", "1"}, 6, {});
    both.remove({"q", "2"}, 7);
    const auto& facts = both.table.facts();
    EXPECT_EQ(facts.partitions_count, 2u);
    EXPECT_EQ(facts.rows_count, 3u);
    EXPECT_EQ(facts.versions_count, 4u);
    EXPECT_EQ(facts.merges_count, 2u);
    EXPECT_EQ(facts.sequence_min, base::sequence{4});
    EXPECT_EQ(facts.sequence_max, base::sequence{9});
}

TEST(memtable, bytes_cover_the_payload_and_little_more) {
    memtable table;
    const std::vector<property> properties{{"a", value::of_real(1)}, {"b", value::of_real(2)}};
    std::string packed;
    pack_row(properties, packed);
    const auto shape = table.intern(shape_of(properties));
    EXPECT_LT(table.bytes(), 16u * 1024); // a table of few rows is small
    constexpr size_t rows = 100'000;
    for (size_t i = 0; i < rows; ++i) {
        const auto key = base::inverted_text(base::tick{static_cast<int64_t>(i)});
        table.insert({"p" + std::to_string(i % 100), key, {i + 1}, row_kind::put, base::tick{1}, shape, packed});
    }
    const size_t payload = rows * (packed.size() + base::inverted_digits);
    EXPECT_GT(table.bytes(), payload);
    EXPECT_LT(table.bytes(), payload + rows * 100);
}

TEST(memtable, shapes_count_and_are_kept_once) {
    memtable table;
    const auto before = table.bytes();
    const shape wide = shape({{std::string(1'000, 'n'), value_type::int32}});
    const auto first = table.intern(wide);
    const auto with_one = table.bytes();
    EXPECT_GE(with_one, before + 1'000);
    EXPECT_EQ(table.intern(wide).get(), first.get());
    EXPECT_EQ(table.bytes(), with_one);
}

TEST(memtable, is_given_back_in_bounded_steps) {
    auto table = std::make_unique<memtable>();
    const std::string packed(100'000, 'b');
    for (int i = 0; i < 300; ++i) {
        const auto name = "name" + std::to_string(i);
        const std::vector<property> properties{{name, value::of_binary(packed)}};
        std::string row;
        pack_row(properties, row);
        table->insert({"p", std::to_string(i), {1}, row_kind::put, base::tick{1}, table->intern(shape_of(properties)), row});
    }
    size_t steps = 1;
    for (auto left = table->bytes(); table->clear_step(); ++steps) {
        const auto now = table->bytes();
        EXPECT_LT(now, left);
        EXPECT_LE(left - now, 100u * arena::chunk_bytes_max);
        left = now;
    }
    EXPECT_GT(steps, 4u);
    EXPECT_LT(table->bytes(), 64u * 1024);
    table.reset();
}

TEST(memtable, remembers_the_order_in_which_partitions_came) {
    pair_of_tables t;
    const auto since = [&](uint64_t known) {
        std::string keys;
        for (memtable::arrival_cursor at(t.table, known); !at.is_end(); at.next()) {
            keys += at.key();
        }
        return keys;
    };
    EXPECT_EQ(since(0), "");
    uint64_t sequence = 0;
    for (const auto* partition : {"m", "a", "m", "z", "a", "b"}) {
        ++sequence;
        t.put({partition, std::to_string(sequence)}, sequence, {});
    }
    EXPECT_EQ(since(0), "bzam");
    EXPECT_EQ(since(2), "bz");
    EXPECT_EQ(since(4), "");
}

} // namespace

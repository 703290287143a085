// Random operations against a map. Restarts, core-count changes and drops come in between; after each, everything is compared.
// DOWNTICK_MODEL_OPERATIONS sets the length, DOWNTICK_SEED the seed, DOWNTICK_RESTARTS how many there are in 10,000 steps.

#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>

#include "tests/lib/filter_predicate.hh"
#include "tests/lib/from_environment.hh"
#include "tests/lib/running_engine.hh"
#include "tests/lib/table_model.hh"

namespace {

using namespace tables;
using namespace testing_lib;
using kind = operation_kind;

class model_run {
public:
    explicit model_run(uint64_t seed) : _random(seed), _disk({.operations = sim::history::drop, .yields_max = 0}) { restart(); }

    void step() {
        const auto dice = roll(10'000);
        if (roll(10'000) < _restarts) {
            restart();
        } else if (dice < 12) {
            drop_and_create();
        } else if (dice < 20) {
            _engine->flush();
        } else if (dice < 30) {
            _engine->compact();
        } else if (dice < 6000) {
            commit();
        } else if (dice < 7500) {
            upsert();
        } else if (dice < 9000) {
            get();
        } else if (dice < 9700) {
            scan();
        } else if (dice < 9800) {
            filtered_scan();
        } else if (dice < 9900) {
            first_rows();
        } else {
            list_partitions();
        }
    }
    void compare_all() {
        for (size_t i = 0; i < tables_count; ++i) {
            compare(i);
        }
    }
    uint64_t operations_count() const { return _operations_count; }

private:
    static constexpr size_t tables_count = 3;
    static constexpr size_t partitions_count = 12;
    static constexpr size_t rows_count = 20;
    static constexpr size_t time_rows_count = 100; // so many that a segment keeps the newest one in its directory

    uint64_t roll(uint64_t sides) { return _random() % sides; }
    static std::string partition(uint64_t i) { return fmt::format("p{}", i); }
    std::string some_partition() { return partition(roll(partitions_count)); }
    // A third of the partitions have text keys, a third time keys, and a third has both, some of which come before all times.
    std::string some_row(const std::string& pk) {
        const auto sort = pk.back() % 3;
        if (sort == 0 || (sort == 1 && roll(2) == 0)) {
            return fmt::format("{}{:02}", roll(4) == 0 ? '!' : 'r', roll(rows_count));
        }
        return base::inverted_text(
            base::tick{base::unix_epoch.value + static_cast<int64_t>(roll(time_rows_count)) * base::ticks_per_second});
    }
    model_row some_properties() {
        model_row row;
        for (uint64_t n = roll(5); n > 0; --n) {
            row[fmt::format("f{}", roll(7))] = static_cast<int32_t>(roll(1000));
        }
        return row;
    }
    static std::vector<property> properties_of(const model_row& row) {
        std::vector<property> properties;
        for (const auto& [name, number] : row) {
            properties.push_back({name, value::of_int32(number)});
        }
        return properties;
    }
    static std::string text_of(const std::pair<const std::pair<std::string, std::string>, model_entity>& e) {
        return fmt::format("{}@{}", to_text(e.first.first, e.first.second, properties_of(e.second.properties)),
                           e.second.timestamp.value);
    }
    static std::string text_of(const batch_row& row) { return fmt::format("{}@{}", to_text(row), row.timestamp.value); }

    void restart() {
        _engine.reset();
        const unsigned shards = 1 + static_cast<unsigned>(roll(seastar::smp::count));
        _engine = std::make_unique<running_engine>(_disk, some_settings(shards));
        ASSERT_TRUE(_engine->opened()) << base::to_string(_engine->opened().error());
        ASSERT_TRUE(_engine->opened()->damage.empty()) << _engine->opened()->damage.front();
        for (size_t i = 0; i < tables_count && _ids.size() < tables_count; ++i) {
            _ids.push_back(_engine->create(table_name(i)));
            _models.emplace_back();
        }
        compare_all();
    }

    // From one row to a block, from a cache that holds nothing to one that holds all, from a flush every few writes to none.
    running_engine::options some_settings(unsigned shards) {
        running_engine::options o{
            .shards_count = shards, .log_file_bytes = 4 << 20, .cache_bytes_max = roll(3) == 0 ? 0 : uint64_t{1000} << roll(12)};
        o.flush.memtable_bytes = uint64_t{50'000} << roll(10);
        o.memtable_bytes_max = uint64_t{500'000} << roll(10); // at times less than the logs of the start before hold
        o.flush.log_bytes = uint64_t{1'000'000} << roll(8);
        o.flush.own_file_bytes = 1 << roll(20);
        o.flush.block_rows_max = 1 << roll(10);
        o.flush.block_raw_bytes_max = 100 << roll(12);
        o.merging = {.handful = 2 + roll(7), .like_size = 1 + roll(4), .files_max = 4 + roll(20)};
        // Never, now and then, all the time.
        o.merge_every = roll(4) == 0 ? std::chrono::hours(24) : std::chrono::milliseconds(1 + roll(100));
        return o;
    }

    static std::string table_name(size_t i) { return fmt::format("Table{}", i); }

    void drop_and_create() {
        const auto i = roll(tables_count);
        ASSERT_TRUE((*_engine)->drop_table("account", table_name(i)).get());
        _ids[i] = _engine->create(table_name(i));
        _models[i] = {};
        ++_operations_count;
        compare(i);
    }

    model_operation some_operation(const table_model& model, const std::string& pk) {
        model_operation op{static_cast<kind>(roll(6)), some_row(pk), {}, some_properties()};
        const bool can_match = op.kind == kind::replace || op.kind == kind::merge || op.kind == kind::remove;
        const auto found = model.entities().find({pk, op.row_key});
        if (can_match && found != model.entities().end() && roll(2) == 0) {
            op.if_match = roll(4) == 0 ? base::tick{found->second.timestamp.value - 1} : found->second.timestamp;
        }
        return op;
    }

    void commit() {
        const auto i = roll(tables_count);
        const auto pk = some_partition();
        std::vector<model_operation> operations;
        std::set<std::string> rows;
        const auto wanted = roll(4) == 0 ? 1 + roll(20) : 1;
        while (operations.size() < wanted) {
            auto op = some_operation(_models[i], pk);
            if (rows.insert(op.row_key).second) {
                operations.push_back(std::move(op));
            }
        }
        row_batch_builder batch(_ids[i]);
        std::vector<operation> kinds;
        for (const auto& op : operations) {
            if (op.kind == kind::remove) {
                batch.add_remove(pk, op.row_key);
            } else {
                batch.add_put(pk, op.row_key, properties_of(op.properties));
            }
            kinds.push_back({op.kind, op.if_match});
        }
        _operations_count += operations.size();
        const auto expected = _models[i].check(pk, operations);
        const auto result = (*_engine)->commit({batch.take(), kinds}).get();
        ASSERT_EQ(result.has_value(), !expected.has_value());
        if (expected) {
            EXPECT_EQ(result.error().index, expected->first);
            EXPECT_EQ(result.error().error.code, expected->second);
        } else {
            _models[i].apply(pk, operations, *result);
        }
    }

    // Rows of several partitions of one owner, merges and puts mixed; the same row may come twice.
    void upsert() {
        const auto i = roll(tables_count);
        const auto owner = (*_engine)->owner_of(some_partition());
        row_batch_builder batch(_ids[i]);
        std::vector<std::pair<std::string, std::string>> keys;
        for (auto n = 1 + roll(10); n > 0; --n) {
            const auto pk = some_partition();
            if ((*_engine)->owner_of(pk) != owner) {
                continue;
            }
            const auto rk = some_row(pk);
            const auto properties = some_properties();
            const bool is_put = roll(3) == 0;
            batch.add(is_put ? row_kind::put : row_kind::merge, pk, rk, properties_of(properties));
            _models[i].upsert(pk, rk, properties, is_put, base::tick{});
            keys.emplace_back(pk, rk);
        }
        _operations_count += keys.size();
        ASSERT_TRUE((*_engine)->upsert(owner, batch.take()).get());
        // The Timestamp is the engine's choice: one for the whole commit, later than any before it.
        base::tick timestamp;
        for (const auto& [pk, rk] : keys) {
            const auto found = (*_engine)->get(_ids[i], pk, rk).get();
            ASSERT_TRUE(found);
            const auto row = *found->rows().begin();
            EXPECT_TRUE(timestamp.value == 0 || timestamp == row.timestamp);
            timestamp = row.timestamp;
            _models[i].upsert(pk, rk, {}, false, timestamp);
        }
    }

    void get() {
        const auto i = roll(tables_count);
        const auto pk = some_partition();
        const auto rk = some_row(pk);
        ++_operations_count;
        const auto found = (*_engine)->get(_ids[i], pk, rk).get();
        const auto expected = _models[i].entities().find({pk, rk});
        ASSERT_EQ(found.has_value(), expected != _models[i].entities().end());
        if (found) {
            EXPECT_EQ(text_of(*found->rows().begin()), text_of(*expected));
        }
    }

    void scan() {
        const auto i = roll(tables_count);
        ++_operations_count;
        key_range range = key_range::all();
        if (roll(2) == 0) {
            range = key_range::partition(some_partition());
        }
        if (roll(2) == 0) {
            range.from = {range.from.partition_key, some_row(some_partition())};
        }
        const auto limit = 1 + roll(60);
        const auto page = (*_engine)->scan({.table = _ids[i], .ranges = {range}, .rows_max = limit}).get();
        ASSERT_TRUE(page);
        auto row = page->rows.begin();
        for (const auto& entity : _models[i].entities()) {
            if (range.contains(entity.first.first, entity.first.second) && row != page->rows.end()) {
                ASSERT_EQ(text_of(*row++), text_of(entity));
            }
        }
        EXPECT_EQ(row, page->rows.end());
        EXPECT_TRUE(page->rows.size() == limit || !page->next);
    }

    // A range of values that few rows have, so that there are blocks without any; beside it a name that may be missing.
    void filtered_scan() {
        const auto i = roll(tables_count);
        const auto name = fmt::format("f{}", roll(7));
        const auto other = fmt::format("f{}", roll(7));
        const auto low = static_cast<int32_t>(roll(1000));
        const auto high = low + static_cast<int32_t>(roll(20));
        const bool is_negated = roll(3) == 0;
        ++_operations_count;
        const auto range = is_negated ? fmt::format("not ({0} lt {1} or {0} gt {2})", name, low, high)
                                      : fmt::format("{0} ge {1} and {0} le {2}", name, low, high);
        const filter_predicate predicate(fmt::format("{} and {} ne 7", range, other));
        std::vector<std::string> expected;
        for (const auto& entity : _models[i].entities()) {
            const auto& row = entity.second.properties;
            const auto found = row.find(name);
            const auto beside = row.find(other);
            // A comparison with a property that is not there does not hold; its negation does.
            const bool is_in = found == row.end() ? is_negated : found->second >= low && found->second <= high;
            if (is_in && beside != row.end() && beside->second != 7) {
                expected.push_back(text_of(entity));
            }
        }
        std::vector<std::string> found;
        for (std::optional<entity_key> from = entity_key{}; from;) {
            const auto page =
                (*_engine)
                    ->scan(
                        {.table = _ids[i], .ranges = {{*from, std::nullopt}}, .predicate = &predicate, .rows_max = 1 + roll(60)})
                    .get();
            ASSERT_TRUE(page);
            for (const auto& row : page->rows) {
                found.push_back(text_of(row));
            }
            from = page->next;
        }
        ASSERT_EQ(found, expected);
    }

    // Of many partitions at once, from somewhere in each.
    void first_rows() {
        const auto i = roll(tables_count);
        const auto per_range = 1 + roll(3);
        ++_operations_count;
        std::vector<key_range> ranges;
        std::set<std::string> keys;
        for (uint64_t p = 0; p < partitions_count; ++p) {
            keys.insert(partition(p));
        }
        std::vector<std::string> expected;
        for (const auto& pk : keys) {
            auto range = key_range::partition(pk);
            if (roll(3) == 0) {
                range.from.row_key = some_row(pk);
            }
            size_t count = 0;
            for (const auto& entity : _models[i].entities()) {
                if (range.contains(entity.first.first, entity.first.second) && count++ < per_range) {
                    expected.push_back(text_of(entity));
                }
            }
            ranges.push_back(std::move(range));
        }
        const auto page =
            (*_engine)->scan({.table = _ids[i], .ranges = std::move(ranges), .rows_per_range_max = per_range}).get();
        ASSERT_TRUE(page);
        std::vector<std::string> found;
        for (const auto& row : page->rows) {
            found.push_back(text_of(row));
        }
        ASSERT_EQ(found, expected);
    }

    // All that have rows are listed, each by its owner, and no row lies outside the times.
    void list_partitions() {
        const auto i = roll(tables_count);
        const auto at_once = 1 + roll(2 * partitions_count);
        ++_operations_count;
        std::map<std::string, partition_span> found;
        for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
            for (std::string from;;) {
                const auto some =
                    _engine->all().invoke_on(shard, [&](engine& e) { return e.partitions_here(_ids[i], from, at_once); }).get();
                ASSERT_TRUE(some);
                for (const auto& span : *some) {
                    ASSERT_EQ((*_engine)->owner_of(span.key), shard);
                    ASSERT_TRUE(found.emplace(span.key, span).second && span.key >= from) << span.key;
                }
                if (some->size() < at_once) {
                    break;
                }
                from = some->back().key + '\0';
            }
        }
        for (const auto& [key, entity] : _models[i].entities()) {
            const auto span = found.find(key.first);
            ASSERT_NE(span, found.end()) << key.first;
            if (const auto time = base::parse_inverted(key.second)) {
                ASSERT_TRUE(*time <= span->second.newest && *time >= span->second.oldest) << key.first << ' ' << key.second;
            }
        }
    }

    void compare(size_t i) {
        std::vector<std::string> found;
        for (std::optional<entity_key> from = entity_key{}; from;) {
            const auto page = (*_engine)->scan({.table = _ids[i], .ranges = {{*from, std::nullopt}}}).get();
            ASSERT_TRUE(page);
            for (const auto& row : page->rows) {
                found.push_back(text_of(row));
            }
            from = page->next;
        }
        std::vector<std::string> expected;
        for (const auto& entity : _models[i].entities()) {
            expected.push_back(text_of(entity));
        }
        const auto [here, there] = std::ranges::mismatch(found, expected);
        ASSERT_TRUE(here == found.end() && there == expected.end())
            << "found " << (here == found.end() ? "the end" : *here) << ", expected "
            << (there == expected.end() ? "the end" : *there);
    }

    std::mt19937_64 _random;
    const uint64_t _restarts = from_environment("DOWNTICK_RESTARTS", 4);
    sim::sim_disk _disk;
    std::unique_ptr<running_engine> _engine;
    std::vector<base::table_id> _ids;
    std::vector<table_model> _models;
    uint64_t _operations_count = 0;
};

TEST(engine_model, random_operations_agree_with_a_map) {
    const auto seed = from_environment("DOWNTICK_SEED", std::random_device()());
    // A million in all over one, two and four shards; the fewer shards, the quicker.
    const uint64_t usual = seastar::smp::count == 1 ? 600'000 : seastar::smp::count == 2 ? 300'000 : 100'000;
    const auto wanted = from_environment("DOWNTICK_MODEL_OPERATIONS", usual);
    constexpr uint64_t runs = 4;
    uint64_t done = 0;
    for (uint64_t run = 0; run < runs; ++run) {
        SCOPED_TRACE(fmt::format("seed {} run {} of {} shards", seed, run, seastar::smp::count));
        model_run model(seed + run);
        while (model.operations_count() < wanted / runs && !::testing::Test::HasFailure()) {
            model.step();
        }
        model.compare_all();
        done += model.operations_count();
        if (::testing::Test::HasFailure()) {
            break;
        }
    }
    fmt::print("{} operations, seed {}\n", done, seed);
}

} // namespace

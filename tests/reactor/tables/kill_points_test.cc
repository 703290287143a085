// Kill points: each job of upkeep (flush, merge, drop, seal, snapshot...) is run once on the simulated disk, and every operation
// it does to a file gets a name, `<job>/<kind of file>/<operation>`, numbered where there are several. Then the power goes just
// before and just after each of them. What opens then must hold exactly what had been acknowledged: nothing less, nothing
// dropped, no row of an earlier table of the same name; and a snapshot is whole or is not there.

#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>

#include "tests/lib/running_logs.hh"

namespace {

using namespace tables;
using namespace testing_lib;

constexpr size_t points_wanted = 40;
constexpr int64_t noon_ns = 1'794'830'400'000'000'000;
const std::string unfinished = "snapshot.unfinished";
const std::string finished = "copy";
const std::vector<std::string> table_names{"Rows", "Others", "Doomed"};

running_logs::options settings(unsigned shards) {
    running_logs::options o{.engine = {.shards_count = shards, .log_file_bytes = 64 << 10}, .logs = {}};
    o.engine.flush.own_file_bytes = 2'000; // the larger tables get files of their own, the small ones share
    o.engine.flush.block_rows_max = 4;
    o.engine.merging = {.handful = 2, .files_max = 3};
    o.logs.own_file_bytes = 1'000;
    o.logs.merge_count = 2;
    o.logs.merge_every = std::chrono::hours(24);
    return o;
}

// What a store shows.
struct contents {
    std::map<std::string, std::map<std::string, int32_t>> tables; // rows by "partition|row"
    std::multiset<std::string> records;

    bool operator==(const contents&) const = default;
};

std::string to_text(const contents& c) {
    std::string text;
    for (const auto& [name, rows] : c.tables) {
        text += fmt::format("{} ({} rows): {}\n", name, rows.size(), rows);
    }
    return text + fmt::format("{} records", c.records.size());
}

contents contents_of(running_logs& store) {
    contents all;
    for (const auto& name : table_names) {
        const auto* info = store.engine()->catalog().find("account", name);
        if (info == nullptr) {
            continue;
        }
        auto& rows = all.tables[name];
        auto page = store.engine()->scan({.table = info->id, .ranges = {key_range::all()}}).get();
        if (!page) {
            ADD_FAILURE() << name << ": " << base::to_string(page.error());
            continue;
        }
        for (const auto& row : page->rows) {
            rows[fmt::format("{}|{}", row.partition_key, row.row_key)] = row.row.find("n")->as_int32();
        }
    }
    auto records = store.search("source");
    if (!records) {
        ADD_FAILURE() << base::to_string(records.error());
        return all;
    }
    for (const auto& r : *records) {
        all.records.insert(r.text);
    }
    return all;
}

// A store that is written to by one writer, so that at each moment it is known exactly what it must show.
class recorded_store {
public:
    // One acknowledged change after the other; the first state is that of an empty store.
    struct step {
        uint64_t sent_at = 0, acknowledged_at = 0; // operations of the disk by then
        contents after;
    };

    recorded_store() : _store(std::make_unique<running_logs>(disk, settings(seastar::smp::count))) { _steps.push_back({}); }

    running_logs& operator*() { return *_store; }
    // The disk stays.
    void stop() { _store = nullptr; }
    const std::vector<step>& steps() const { return _steps; }
    const contents& now() const { return _steps.back().after; }

    void create(const std::string& name) {
        change([&](contents& c) { c.tables[name]; }, [&] { _store->engine().create(name); });
    }
    void drop(const std::string& name) {
        change([&](contents& c) { c.tables.erase(name); },
               [&] { ASSERT_TRUE(_store->engine()->drop_table("account", name).get()); });
    }
    void put(const std::string& name, int row, int32_t n) {
        commit(
            name, row,
            [&](row_batch_builder& batch, const std::string& partition, const std::string& key) {
                const std::string padding(80, static_cast<char>('a' + n % 26));
                batch.add_put(partition, key, std::vector<property>{{"n", value::of_int32(n)}, {"x", value::of_string(padding)}});
                return operation_kind::insert_or_replace;
            },
            n);
    }
    void remove(const std::string& name, int row) {
        commit(
            name, row,
            [&](row_batch_builder& batch, const std::string& partition, const std::string& key) {
                batch.add_remove(partition, key);
                return operation_kind::remove;
            },
            std::nullopt);
    }
    // Rows in all tables, some of them again, and one gone.
    void put_some(int32_t n) {
        for (const auto& name : table_names) {
            for (int row = n % 3; row < (name == "Others" ? 6 : 24); row += 3) {
                put(name, row, n);
            }
        }
        put("Rows", 100, n);
        remove("Rows", 100);
    }
    void append_records(int32_t n) {
        std::vector<sent_record> some;
        for (int i = 0; i < 8; ++i) {
            some.push_back({"source", noon_ns + i, 3, fmt::format("record {} {}", n, i)});
        }
        change(
            [&](contents& c) {
                for (const auto& r : some) {
                    c.records.insert(r.text);
                }
            },
            [&] { ASSERT_TRUE(_store->append(some)); });
    }
    void drop_records() {
        const auto start = base::tick_from_unix_ns(noon_ns);
        change([](contents& c) { c.records.clear(); }, [&] { ASSERT_TRUE((*_store)->drop_period_here("source", start).get()); });
    }

    sim::sim_disk disk{{.yields_max = 3}};

private:
    template <class Effect, class Action>
    void change(Effect effect, Action action) {
        step s{.sent_at = disk.operations_count(), .after = now()};
        action();
        effect(s.after);
        s.acknowledged_at = disk.operations_count();
        _steps.push_back(std::move(s));
    }

    template <class Fill>
    void commit(const std::string& name, int row, Fill fill, std::optional<int32_t> n) {
        const auto table = _store->engine()->catalog().find("account", name)->id;
        const auto partition = fmt::format("p{}", row % 5);
        const auto key = fmt::format("{:04}", row);
        row_batch_builder batch(table);
        const auto kind = fill(batch, partition, key);
        const auto shown = partition + '|' + key;
        change([&](contents& c) { n ? void(c.tables[name][shown] = *n) : void(c.tables[name].erase(shown)); },
               [&] { ASSERT_TRUE(_store->engine()->commit({batch.take(), {{kind, std::nullopt}}}).get()); });
    }

    std::vector<step> _steps;
    std::unique_ptr<running_logs> _store;
};

// What the background of a job still does goes on until nothing happens for so many turns of the reactor.
void wait_until_quiet(const sim::sim_disk& disk) {
    constexpr int turns = 300;
    for (auto [seen, quiet] = std::pair(disk.operations_count(), 0); quiet < turns; ++quiet) {
        seastar::thread::yield();
        quiet = disk.operations_count() == seen ? quiet : 0;
        seen = disk.operations_count();
    }
}

// --- the jobs -----------------------------------------------------------------------------------------------------------

struct job {
    std::string name;
    void (*prepare)(recorded_store&);
    void (*run)(recorded_store&);
};

void begin(recorded_store& store) {
    for (const auto& name : table_names) {
        store.create(name);
    }
    store.put_some(1);
    store.append_records(1);
}

void begin_with_files(recorded_store& store) {
    begin(store);
    for (int32_t round = 2; round < 5; ++round) {
        (*store).engine().flush();
        ASSERT_TRUE((*store).seal());
        store.put_some(round);
        store.append_records(round);
    }
}

// Writers do not wait for a flush or a merge.
template <class Work>
void while_writing(recorded_store& store, Work work) {
    auto under_way = seastar::async(work);
    for (int32_t n = 20; n < 26; ++n) {
        store.put("Rows", n, n);
        store.append_records(n);
    }
    under_way.get();
}

void flush(recorded_store& store) {
    while_writing(store, [&store] { (*store).engine().flush(); });
}

void merge(recorded_store& store) {
    (*store).engine().flush();
    while_writing(store, [&store] { (*store).engine().compact(); });
}

void drop_and_create_again(recorded_store& store) {
    store.drop("Doomed");
    store.create("Doomed");
    store.put("Doomed", 200, 200);
    (*store).engine().flush();
    store.put("Doomed", 201, 201);
}

void seal(recorded_store& store) {
    while_writing(store, [&store] { EXPECT_TRUE((*store).seal()); });
}

void merge_blobs(recorded_store& store) {
    EXPECT_TRUE((*store).seal());
    for (size_t replaced = 1; replaced > 0;) {
        replaced = (*store)->merge().get().value();
    }
}

void expire(recorded_store& store) {
    EXPECT_TRUE((*store).seal());
    store.drop_records();
    store.append_records(50);
}

// As the server does it: under a name of its own, and then moved with one rename.
void snapshot(recorded_store& store) {
    ASSERT_TRUE((*store).engine()->snapshot(unfinished).get());
    store.disk.rename(unfinished, finished).get();
    store.disk.sync_directory("").get();
}

const std::vector<job> jobs{
    {"flush", begin, flush},
    {"merge", begin_with_files, merge},
    {"drop", begin_with_files, drop_and_create_again},
    {"seal", begin, seal},
    {"merge_blobs", begin_with_files, merge_blobs},
    {"expire", begin_with_files, expire},
    {"snapshot", begin_with_files, snapshot},
};

// --- names of operations ------------------------------------------------------------------------------------------------

std::string kind_of_file(std::string path) {
    const bool is_copy = path.starts_with(unfinished);
    if (is_copy) {
        path.erase(0, std::min(path.size(), unfinished.size() + 1));
    }
    const std::map<std::string, std::string> kinds{
        {"log", "log"}, {"manifest", "manifest"}, {"segments", "segment"}, {"blobs", "blob"}};
    const auto first = path.substr(0, path.find('/'));
    const auto known = kinds.find(first);
    const auto kind = known != kinds.end()            ? known->second
                      : first.starts_with("catalog")  ? "catalog"
                      : first.starts_with("identity") ? "identity"
                                                      : "folder";
    return is_copy ? "copied-" + kind : kind;
}

std::string_view name_of(sim::op_kind kind) {
    switch (kind) {
    case sim::op_kind::create: return "create";
    case sim::op_kind::write: return "write";
    case sim::op_kind::truncate: return "truncate";
    case sim::op_kind::flush: return "flush";
    case sim::op_kind::rename: return "rename";
    case sim::op_kind::remove: return "remove";
    case sim::op_kind::link: return "link";
    case sim::op_kind::make_directory: return "make-folder";
    case sim::op_kind::sync_directory: return "sync-folder";
    default: return "other";
    }
}

struct kill_point {
    std::string name;
    std::string kind;    // the name without its number
    uint64_t before = 0; // operations of the disk before it
};

std::vector<kill_point> name_operations(const std::string& job_name, const sim::sim_disk& disk, uint64_t first) {
    std::vector<kill_point> points;
    std::map<std::string, int> seen;
    for (auto i = first; i < disk.operations_count(); ++i) {
        const auto& op = disk.operations()[i];
        const auto& path = op.kind == sim::op_kind::link ? op.to : op.path;
        const auto kind = fmt::format("{}/{}/{}", job_name, kind_of_file(path), name_of(op.kind));
        points.push_back({fmt::format("{}#{}", kind, ++seen[kind]), kind, i});
    }
    return points;
}

// --- what is found after the cut ------------------------------------------------------------------------------------------

// The state after all that was acknowledged; or, with the one change that was under way, the one after that.
void expect_state_of(const recorded_store& store, uint64_t cut_at, const contents& found) {
    const auto& steps = store.steps();
    size_t last = 0;
    while (last + 1 < steps.size() && steps[last + 1].acknowledged_at <= cut_at) {
        ++last;
    }
    const bool is_under_way = last + 1 < steps.size() && steps[last + 1].sent_at <= cut_at;
    EXPECT_TRUE(found == steps[last].after || (is_under_way && found == steps[last + 1].after))
        << "found " << to_text(found) << "\ninstead of " << to_text(steps[last].after);
}

// The store in that folder, on a disk of its own.
void copy_folder(sim::sim_disk& from, const std::string& folder, sim::sim_disk& to, const std::string& target) {
    constexpr size_t file_bytes_max = 16 << 20;
    const auto names = from.list(folder).get();
    for (const auto& name : names) {
        const auto path = target.empty() ? name : target + '/' + name;
        try {
            shard::replace_whole(to, path, shard::read_whole(from, folder + '/' + name, file_bytes_max).get()).get();
        } catch (const std::system_error&) { // not a file
            to.make_directory(path).get();
            copy_folder(from, folder + '/' + name, to, path);
        }
    }
}

void check_snapshot(sim::sim_disk& image, const contents& wanted) {
    if (!image.exists(finished).get()) {
        return;
    }
    sim::sim_disk copy;
    copy_folder(image, finished, copy, "");
    running_logs store(copy, settings(1));
    ASSERT_TRUE(store.is_open());
    EXPECT_TRUE(store.engine().opened()->damage.empty());
    const auto found = contents_of(store);
    EXPECT_TRUE(found == wanted) << "the snapshot has " << to_text(found) << "\ninstead of " << to_text(wanted);
}

void check_cut(const recorded_store& store, const job& what, uint64_t cut_at, sim::crash_policy policy) {
    auto image = store.disk.crash_image(cut_at, policy);
    {
        running_logs again(*image, settings(1 + static_cast<unsigned>(cut_at % seastar::smp::count)));
        ASSERT_TRUE(again.is_open()) << base::to_string(again.engine().opened().error());
        EXPECT_TRUE(again.engine().opened()->damage.empty()) << "a power cut is no damage";
        expect_state_of(store, cut_at, contents_of(again));
        again.engine()->remove_snapshot(unfinished).get();
        EXPECT_FALSE(image->exists(unfinished).get());
    }
    if (what.run == snapshot) {
        check_snapshot(*image, store.now());
    }
}

void check_cuts(const recorded_store& store, const job& what, uint64_t cut_at) {
    struct named_policy {
        sim::crash_policy policy;
        std::string_view text;
    };
    for (const auto& [policy, text] : {named_policy{sim::crash_policy::drop_all(), "nothing unflushed survives"},
                                       named_policy{sim::crash_policy::keep_all(), "everything survives"},
                                       named_policy{sim::crash_policy::random(cut_at), "some of it survives"}}) {
        SCOPED_TRACE(text);
        check_cut(store, what, cut_at, policy);
    }
}

// The names of all its points. The cut after one of them is the cut before the next.
std::vector<kill_point> check_job(const job& what) {
    recorded_store store;
    what.prepare(store);
    wait_until_quiet(store.disk);
    const auto first = store.disk.operations_count();
    what.run(store);
    wait_until_quiet(store.disk);
    auto points = name_operations(what.name, store.disk, first);
    expect_state_of(store, store.disk.operations_count(), contents_of(*store));
    store.stop();
    for (size_t i = 0; i <= points.size() && !::testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE(fmt::format("after {}, before {}", i == 0 ? "the begin" : points[i - 1].name,
                                 i == points.size() ? "the end" : points[i].name));
        check_cuts(store, what, first + i);
    }
    return points;
}

TEST(kill_points, at_each_of_them_exactly_what_was_acknowledged_is_there_after_the_start) {
    size_t points_count = 0;
    std::map<std::string, int> kinds;
    for (const auto& what : jobs) {
        for (const auto& point : check_job(what)) {
            ++points_count;
            ++kinds[point.kind];
        }
    }
    for (const auto& [kind, count] : kinds) {
        fmt::print("{}{}\n", kind, count > 1 ? fmt::format(" #1..#{}", count) : "");
    }
    fmt::print("{} points of {} kinds\n", points_count, kinds.size());
    EXPECT_GE(kinds.size(), points_wanted);
}

} // namespace

// Nanoseconds per row of the paths every write takes. Not a test: build tables_core_speed in an optimised tree and run it on a
// quiet machine.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "tables/core/memtable.hh"
#include "tables/core/row_batch.hh"

namespace {

using namespace tables;

constexpr size_t series_count = 1'000;
constexpr size_t rounds_count = 300;

// Processor time of this thread: what others do on the machine shows less.
double now_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Runs a piece of work several times and prints the best, since the others were disturbed.
template <class Work>
void measure(const char* what, size_t rows, int runs, Work work) {
    double best = 1e18;
    for (int run = 0; run < runs; ++run) {
        const auto start = now_ns();
        work();
        best = std::min(best, (now_ns() - start) / static_cast<double>(rows));
    }
    std::printf("%-64s %8.1f ns/row\n", what, best);
}

std::vector<property> ten_doubles() {
    static constexpr const char* names[] = {"usage_guest", "usage_guest_nice", "usage_idle",  "usage_iowait", "usage_irq",
                                            "usage_nice",  "usage_softirq",    "usage_steal", "usage_system", "usage_user"};
    std::vector<property> properties;
    for (const auto* name : names) {
        properties.push_back({name, value::of_real(0.1 + static_cast<double>(properties.size()))});
    }
    return properties;
}

std::vector<std::string> series_keys(size_t count) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < count; ++i) {
        const auto number = std::to_string(i);
        keys.push_back("arch=x64,datacenter=eu-central-1a,host=host_" + number +
                       ",os=Ubuntu16.10,rack=" + std::to_string(i % 90));
    }
    return keys;
}

// One for each round, each before the ones that came earlier.
std::vector<std::string> tail_keys(size_t count) {
    std::vector<std::string> keys;
    for (size_t round = 0; round < count; ++round) {
        const base::tick time{639'304'182'000'000'000 + static_cast<int64_t>(round) * 10 * base::ticks_per_second};
        keys.push_back(base::inverted_text(time) + "99");
    }
    return keys;
}

// A write of every series in every round, or any other order of the same writes.
struct order {
    std::vector<std::string> series;
    std::vector<std::string> row_keys;
    std::vector<std::pair<uint32_t, uint32_t>> writes; // series, row key

    order(size_t series_count, size_t rounds_count) : series(series_keys(series_count)), row_keys(tail_keys(rounds_count)) {
        for (uint32_t round = 0; round < rounds_count; ++round) {
            for (uint32_t s = 0; s < series_count; ++s) {
                writes.emplace_back(s, round);
            }
        }
    }
    order& shuffle() {
        std::ranges::shuffle(writes, std::mt19937_64(1));
        return *this;
    }
};

void fill(memtable& table, const order& o, std::string_view packed, interned_shape shape) {
    uint64_t sequence = 0;
    for (const auto& [s, r] : o.writes) {
        table.insert({o.series[s], o.row_keys[r], {++sequence}, row_kind::merge, base::tick{1}, shape, packed});
    }
}

size_t scan(const memtable& table) {
    size_t seen = 0;
    memtable::cursor cursor(table, {UINT64_MAX});
    for (cursor.seek("", ""); !cursor.is_end(); cursor.next()) {
        seen += cursor.versions()[0].row.bytes().size() + cursor.row_key().size();
    }
    return seen;
}

void memtables(const char* what, const order& o) {
    const auto properties = ten_doubles();
    const auto columns = shape_of(properties);
    std::string packed;
    pack_row(properties, packed);
    const std::string name = std::string("memtable, ") + what + ": ";
    const size_t rows = o.writes.size();
    measure((name + "insert").c_str(), rows, 7, [&] {
        memtable table;
        fill(table, o, packed, table.intern(columns));
    });
    memtable table;
    fill(table, o, packed, table.intern(columns));
    size_t seen = 0;
    measure((name + "scan").c_str(), rows, 7, [&] { seen += scan(table); });
    std::vector<row_version> versions;
    measure((name + "find").c_str(), rows, 3, [&] {
        for (const auto& [s, r] : o.writes) {
            table.find(o.series[s], o.row_keys[r], {UINT64_MAX}, versions);
            seen += versions.size();
        }
    });
    std::printf("%-64s %8zu bytes/row (%zu)\n", (name + "memory").c_str(), table.bytes() / rows, seen % 10);
}

void batches() {
    const auto properties = ten_doubles();
    const auto series = series_keys(series_count);
    const auto row_keys = tail_keys(rounds_count);
    row_batch_builder builder({1});
    measure("batch: add a row of ten doubles", series_count, 50, [&] {
        builder.clear();
        for (const auto& key : series) {
            builder.add(row_kind::merge, key, row_keys[0], properties);
        }
    });
    const auto bytes = std::string(builder.bytes());
    measure("batch: open", series_count, 50, [&] { (void)row_batch_reader::open(bytes).value(); });
    const auto batch = row_batch_reader::open(bytes).value();
    size_t seen = 0;
    measure("batch: go through the rows", series_count, 50, [&] {
        for (const auto& row : batch) {
            seen += row.row.bytes().size();
        }
    });
    row_batch_builder page({1});
    measure("batch: add a row that is packed already", series_count, 50, [&] {
        page.clear();
        for (const auto& row : batch) {
            page.add_row(row.kind, row.partition_key, row.row_key, row.row, base::tick{1});
        }
    });
    std::printf("%-64s %8zu bytes/row (%zu)\n", "batch: size", bytes.size() / series_count, seen % 10);
    measure("batch to memtable: open and insert, 1,000 rows each", series_count * rounds_count, 7, [&] {
        memtable table;
        for (size_t round = 0; round < rounds_count; ++round) {
            // The same key length each time: only the row keys in the bytes change.
            auto copy = bytes;
            for (size_t at = copy.find(row_keys[0]); at != std::string::npos; at = copy.find(row_keys[0], at + 1)) {
                copy.replace(at, row_keys[round].size(), row_keys[round]);
            }
            table.insert(row_batch_reader::open(copy).value(), {1 + round * series_count});
        }
    });
}

} // namespace

int main() {
    // Like the server's allocator, keep freed memory: fresh pages from the kernel would be most of what is measured.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    batches();
    memtables("log tail of 1,000 series", order(series_count, rounds_count));
    memtables("log tail of 100,000 series", order(100'000, 3));
    memtables("log tail of 1 series", order(1, 300'000));
    memtables("random order of 1,000 series", order(series_count, rounds_count).shuffle());
    memtables("random order of 1 series", order(1, 300'000).shuffle());
}

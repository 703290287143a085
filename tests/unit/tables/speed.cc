// Nanoseconds per row of the paths every write takes. Not a test: build tables_core_speed in an optimised tree and run it on a
// quiet machine.
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "tables/core/row_batch.hh"

namespace {

using namespace tables;

constexpr size_t series_count = 1'000;
constexpr size_t rounds_count = 300;

// The best of a few runs, since the others were disturbed.
template <class Work>
void measure(const char* what, size_t rows, Work work) {
    double best = 1e18;
    for (int run = 0; run < 50; ++run) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count() / static_cast<double>(rows));
    }
    std::printf("%-52s %8.1f ns/row\n", what, best);
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

std::vector<std::string> series_keys() {
    std::vector<std::string> keys;
    for (size_t i = 0; i < series_count; ++i) {
        keys.push_back("arch=x64,datacenter=eu-central-1a,host=host_" + std::to_string(i) +
                       ",os=Ubuntu16.10,rack=" + std::to_string(i % 90));
    }
    return keys;
}

std::vector<std::string> tail_keys() {
    std::vector<std::string> keys;
    for (size_t round = 0; round < rounds_count; ++round) {
        const base::tick time{639'304'182'000'000'000 + static_cast<int64_t>(round) * 10 * base::ticks_per_second};
        keys.push_back(base::inverted_text(time) + "99");
    }
    return keys;
}

void batches() {
    const auto properties = ten_doubles();
    const auto series = series_keys();
    const auto row_key = tail_keys().front();
    row_batch_builder builder({1});
    const auto build = [&] {
        for (const auto& key : series) {
            builder.add(row_kind::merge, key, row_key, properties);
        }
    };
    measure("batch: add a row of ten doubles, reused buffer", series_count, [&] {
        builder.clear();
        build();
    });
    const auto copy = std::string(builder.bytes());
    measure("batch: open, rows of ten doubles", series_count, [&] { (void)row_batch_reader::open(copy).value(); });
    const auto batch = row_batch_reader::open(copy).value();
    size_t seen = 0;
    measure("batch: go through open rows", series_count, [&] {
        for (const auto& row : batch) {
            seen += row.row.bytes().size();
        }
    });
    row_batch_builder page({1});
    measure("batch: add_row, rows packed already", series_count, [&] {
        page.clear();
        for (const auto& row : batch) {
            page.add_row(row.kind, row.partition_key, row.row_key, row.row, base::tick{1});
        }
    });
    std::printf("%-52s %8zu bytes/row\n", "batch: size", copy.size() / series_count);
}

} // namespace

int main() {
    batches();
}

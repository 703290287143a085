// Bytes per value and values per second of the column codecs on data of known kinds. The best of many short runs is printed:
// on a shared machine the others measure the neighbours.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/real_column.hh"
#include "tables/core/codec/text_column.hh"

namespace {

using namespace tables::codec;

constexpr size_t values_count = 16'384;
constexpr int runs = 200;

std::mt19937_64 random_bits(1);
std::normal_distribution<double> normal;

double best_seconds(const auto& work) {
    double best = 1e9;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

void print(const char* name, size_t bytes, double encode_seconds, double decode_seconds) {
    std::printf("%-34s %8.4f B/value %8.1f M/s coded %8.0f M/s decoded\n", name, static_cast<double>(bytes) / values_count,
                values_count / encode_seconds / 1e6, values_count / decode_seconds / 1e6);
}

template <class Column, class T>
void run(const char* name, void (*encode)(std::span<const T>, std::string&), const auto& next) {
    std::vector<T> values(values_count);
    std::ranges::generate(values, next);
    std::string bytes;
    const double encode_seconds = best_seconds([&] { bytes.clear(), encode(values, bytes); });
    const auto column = Column::open(bytes, values.size());
    std::vector<T> out(values_count);
    bool is_good = column.has_value();
    const double decode_seconds = best_seconds([&] { is_good &= column->decode(0, out); });
    if (!is_good) {
        std::printf("%s: does not decode\n", name);
    }
    print(name, bytes.size(), encode_seconds, decode_seconds);
}

void run_ints(const char* name, const auto& next) {
    run<int_column, int64_t>(name, encode_int_column, next);
}

void run_reals(const char* name, const auto& next) {
    run<real_column, double>(name, encode_real_column, next);
}

void run_texts(const char* name, const auto& next) {
    texts values;
    for (size_t i = 0; i < values_count; ++i) {
        values.push_back(next());
    }
    zstd_compressor compressor;
    zstd_decompressor decompressor;
    std::string bytes;
    const double encode_seconds = best_seconds([&] { bytes.clear(), encode_text_column(values, compressor, bytes); });
    const auto column = text_column::open(bytes, values.size());
    texts out;
    const double decode_seconds =
        best_seconds([&] { out.clear(), std::ignore = column->decode(0, values.size(), decompressor, out); });
    print(name, bytes.size(), encode_seconds, decode_seconds);
}

void ints() {
    int64_t at = 1'000;
    run_ints("int: walk, normal steps", [&] { return at += std::llround(normal(random_bits)); });
    run_ints("int: walk, steps -2..2", [&] { return at += static_cast<int64_t>(random_bits() % 5) - 2; });
    run_ints("int: ticks, every 10 s", [&] { return at -= 100'000'000; });
    run_ints("int: ticks, 10 s with jitter in ms",
             [&] { return (at -= 100'000'000) + static_cast<int64_t>(random_bits() % 50) * 10'000; });
    int64_t row = 0;
    run_ints("int: timestamps, batches of 50", [&] { return at + row++ / 50 * 5'000'000'000; });
    run_ints("int: two status codes", [&] { return random_bits() % 3 == 0 ? 200 : 404; });
    run_ints("int: noise", [&] { return static_cast<int64_t>(random_bits()); });
}

void reals() {
    double at = 50;
    run_reals("real: walk, two decimals", [&] { return std::round((at += normal(random_bits)) * 100) / 100; });
    run_reals("real: walk, one decimal", [&] { return std::round((at += 0.1 * normal(random_bits)) * 10) / 10; });
    at = 50;
    run_reals("real: walk, full precision", [&] { return at += normal(random_bits); });
    run_reals("real: both signs, full precision", [&] { return normal(random_bits); });
    run_reals("real: uniform 0..1", [&] { return std::generate_canonical<double, 53>(random_bits); });
    run_reals("real: noise", [&] { return std::bit_cast<double>(random_bits()); });
}

} // namespace

int main() {
    ints();
    reals();
    run_texts("text: one of 50 hosts", [] { return "host-" + std::to_string(random_bits() % 50); });
    run_texts("text: log lines", [] { return "request " + std::to_string(random_bits() % 1'000'000) + " took too long"; });
    return 0;
}

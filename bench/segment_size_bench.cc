// What a day of a family takes as one segment: 100 series, one row every 10 s, 10 values each, all bytes of the file counted; and
// how long it takes to build, to decode by columns and by rows, and to find one row.
//
//   segment_size_bench [block rows] [block raw KiB]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "base/ticks.hh"
#include "tables/core/segment/block_rows.hh"
#include "tables/core/segment/segment_builder.hh"
#include "tables/core/segment/segment_view.hh"

namespace {

using namespace tables;

constexpr size_t series_count = 100;
constexpr size_t rows_per_series = 8'640;
constexpr size_t values_per_row = 10;
constexpr size_t values_count = series_count * rows_per_series * values_per_row;
constexpr size_t batch_rows = 5'000; // that share one Timestamp
constexpr int64_t step_ticks = 10 * base::ticks_per_second;
constexpr base::tick day_start{638'000'000'000'000'000};

// CPU time of this process: the machine may have others.
double now_ms() {
    return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct dataset {
    const char* name;
    value_type type;
    value (*next)(double& at, std::mt19937_64&);
};

double normal(std::mt19937_64& random) {
    return std::normal_distribution<double>()(random);
}

const dataset datasets[] = {
    {"integers", value_type::int64,
     [](double& at, std::mt19937_64& random) { return value::of_int64(std::llround(at += std::round(normal(random)))); }},
    {"two decimals", value_type::real,
     [](double& at, std::mt19937_64& random) { return value::of_real(std::round((at += normal(random)) * 100) / 100); }},
    {"full precision", value_type::real,
     [](double& at, std::mt19937_64& random) { return value::of_real(at += normal(random)); }},
};

// The rows of one series, newest first, as a flush hands them over.
struct series {
    std::string partition_key;
    std::vector<std::string> row_keys;
    std::vector<base::tick> timestamps;
    std::vector<std::string> packed;
};

shape shape_for(value_type type) {
    std::vector<column> columns;
    for (size_t i = 0; i < values_per_row; ++i) {
        columns.push_back({"value_" + std::to_string(i), type});
    }
    return shape(std::move(columns));
}

series make_series(const dataset& data, const shape& s, size_t index, std::mt19937_64& random) {
    series made;
    char name[64];
    std::snprintf(name, sizeof name, "host=host_%03zu,region=eu-west-1", index);
    made.partition_key = name;
    std::vector<double> at(values_per_row);
    for (auto& a : at) {
        a = std::round(1'000 + 100 * normal(random));
    }
    for (size_t row = 0; row < rows_per_series; ++row) {
        const base::tick time{day_start.value + static_cast<int64_t>(row) * step_ticks};
        // All series report at each step; a batch takes whole steps until it is large enough.
        const size_t batch = row * series_count / batch_rows;
        const int64_t jitter = static_cast<int64_t>(batch * 7'919 % 300) * base::ticks_per_ms;
        made.row_keys.push_back(base::inverted_text(time) + "99");
        made.timestamps.push_back(
            {day_start.value + static_cast<int64_t>((batch + 1) * batch_rows / series_count) * step_ticks + jitter});
        std::vector<property> properties;
        for (size_t i = 0; i < values_per_row; ++i) {
            properties.push_back({s[i].name, data.next(at[i], random)});
        }
        pack_row(properties, made.packed.emplace_back());
    }
    return made;
}

struct built {
    std::string file;
    double add_ms = 0;
    double step_ms_max = 0;
};

void drain(segment_builder& builder, built& out) {
    for (;;) {
        const double start = now_ms();
        auto bytes = builder.step();
        out.step_ms_max = std::max(out.step_ms_max, now_ms() - start);
        if (!bytes) {
            return;
        }
        out.file += *bytes;
    }
}

built build(const dataset& data, const segment_options& options) {
    const auto s = shape_for(data.type);
    std::mt19937_64 random(1);
    segment_builder builder(options);
    built out;
    for (size_t i = 0; i < series_count; ++i) {
        const auto rows = make_series(data, s, i, random);
        const double start = now_ms();
        for (size_t row = rows_per_series; row-- > 0;) {
            builder.add(
                {rows.partition_key, rows.row_keys[row], row_kind::put, rows.timestamps[row], row_view(s, rows.packed[row])});
            if (auto bytes = builder.step()) {
                out.file += *bytes;
                drain(builder, out);
            }
        }
        out.add_ms += now_ms() - start;
    }
    const double start = now_ms();
    builder.finish();
    drain(builder, out);
    out.add_ms += now_ms() - start;
    return out;
}

[[noreturn]] void fail(const base::error& e) {
    std::fprintf(stderr, "%s\n", base::to_string(e).c_str());
    std::exit(1);
}

template <class T>
T must(base::expected<T> result) {
    if (!result) {
        fail(result.error());
    }
    return std::move(*result);
}

segment_view open(std::string_view file) {
    const auto trailer = must(segment_trailer::parse(file.substr(file.size() - segment_layout::trailer_bytes), file.size()));
    return must(segment_view::open(trailer, file.substr(trailer.footer.offset, trailer.footer.size)));
}

std::string_view bytes_of(std::string_view file, file_extent e) {
    return file.substr(e.offset, e.size);
}

double decode_columns_ms(const segment_view& segment, std::string_view file) {
    const double start = now_ms();
    std::vector<int64_t> ints;
    std::vector<double> reals;
    std::vector<uint8_t> validity;
    for (size_t i = 0; i < segment.blocks_count(); ++i) {
        const auto block = must(segment.open_block(i, bytes_of(file, segment.block(i).extent)));
        const row_range all{0, block.rows_count()};
        validity.resize(codec::bitmap::bytes_for(all.size()));
        ints.resize(all.size());
        reals.resize(all.size());
        for (const auto& column : block.columns()) {
            if (is_int(column.type)) {
                must(block.decode_ints(column, all, ints, validity));
            } else {
                must(block.decode_reals(column, all, reals, validity));
            }
        }
        if (!block.keys().decode_ticks(0, ints)) {
            std::abort();
        }
    }
    return now_ms() - start;
}

double decode_rows_ms(const segment_view& segment, std::string_view file) {
    constexpr size_t rows_at_once = 1'024;
    const double start = now_ms();
    codec::zstd_decompressor zstd;
    for (size_t i = 0; i < segment.blocks_count(); ++i) {
        const auto block = must(segment.open_block(i, bytes_of(file, segment.block(i).extent)));
        block_rows rows(block, segment.schema(), zstd);
        for (size_t begin = 0; begin < block.rows_count(); begin += rows_at_once) {
            if (auto done = rows.load({begin, std::min(begin + rows_at_once, block.rows_count())}); !done) {
                fail(done.error());
            }
        }
    }
    return now_ms() - start;
}

// Of one row: find its block, check it, find the row, decode it.
double get_us(const segment_view& segment, std::string_view file) {
    constexpr size_t gets_count = 500;
    std::mt19937_64 random(2);
    codec::zstd_decompressor zstd;
    const double start = now_ms();
    for (size_t i = 0; i < gets_count; ++i) {
        char key[64];
        std::snprintf(key, sizeof key, "host=host_%03zu,region=eu-west-1", static_cast<size_t>(random() % series_count));
        const auto row_key =
            base::inverted_text({day_start.value + static_cast<int64_t>(random() % rows_per_series) * step_ticks}) + "99";
        const auto at = segment.locate(key, row_key);
        const auto block = must(segment.open_block(at.value(), bytes_of(file, segment.block(*at).extent)));
        const auto row = must(block.find(key, row_key, zstd));
        block_rows rows(block, segment.schema(), zstd);
        if (auto done = rows.load({row.value(), *row + 1}); !done) {
            fail(done.error());
        }
    }
    return (now_ms() - start) * 1'000 / gets_count;
}

// The last point of every series, from the directory alone.
double last_points_us(const segment_view& segment, std::string_view file) {
    const double start = now_ms();
    codec::zstd_decompressor zstd;
    size_t found = 0;
    for (size_t i = 0; i < segment.pages_count(); ++i) {
        const auto page = must(segment.open_page(i, bytes_of(file, segment.page(i).extent), zstd));
        if (const auto* newest = page.newest_rows()) {
            block_rows rows(*newest, segment.schema(), zstd);
            if (auto done = rows.load({0, newest->rows_count()}); !done) {
                fail(done.error());
            }
            found += rows.size();
        }
    }
    if (found != series_count) {
        std::fprintf(stderr, "only %zu last points\n", found);
        std::exit(1);
    }
    return (now_ms() - start) * 1'000;
}

void run(const dataset& data, const segment_options& options) {
    const auto out = build(data, options);
    const auto segment = open(out.file);
    std::printf("%-15s %.4f B/value  %8zu bytes, %zu blocks, footer %zu  build %.0f ms (a step %.2f ms at most)\n", data.name,
                static_cast<double>(out.file.size()) / values_count, out.file.size(), segment.blocks_count(),
                out.file.size() - static_cast<size_t>(segment.filter_extent(0).offset), out.add_ms, out.step_ms_max);
    std::printf("%-15s decode columns %.0f ms, rows %.0f ms; one get %.0f us; last points of all series %.0f us\n", "",
                decode_columns_ms(segment, out.file), decode_rows_ms(segment, out.file), get_us(segment, out.file),
                last_points_us(segment, out.file));
}

} // namespace

int main(int argc, char** argv) {
    segment_options options{.table = {1}, .seed = 1, .sequence_min = {1}, .sequence_max = {values_count}};
    if (argc > 1) {
        options.block_rows_max = std::strtoull(argv[1], nullptr, 10);
    }
    if (argc > 2) {
        options.block_raw_bytes_max = std::strtoull(argv[2], nullptr, 10) * 1'024;
    }
    for (const auto& data : datasets) {
        run(data, options);
    }
    return 0;
}

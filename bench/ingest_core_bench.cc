// What a file of line protocol costs from its bytes to those of a segment, without a server: CPU time by stage, and checksums
// that tell whether a change has changed what is written.
//
//   ingest_core_bench FILE [lines]
//
// Under `valgrind --tool=callgrind --dump-instr=no` the functions named *_stage have the instructions of each stage.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.hh"
#include "ingest/core/line_carry.hh"
#include "ingest/core/line_protocol.hh"
#include "ingest/core/point_router.hh"
#include "tables/core/memtable.hh"
#include "tables/core/segment/segment_builder.hh"

namespace {

using namespace ingest;

constexpr size_t piece_bytes = 64 * 1024;
constexpr size_t cached_series_count = 65'536;
// Later than the lines of ingest_files.
constexpr int64_t now_ns = 1'798'761'600'000'000'000;

// CPU time of this process: the machine may have others.
double now_ms() {
    return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string read_lines(const char* path, size_t lines_max) {
    std::ifstream in(path, std::ios::binary);
    std::string lines;
    std::string line;
    for (size_t i = 0; i < lines_max && std::getline(in, line); ++i) {
        lines += line;
        lines += '\n';
    }
    return lines;
}

class pipeline {
public:
    // The bytes of one piece as they come from a socket: parsed, routed, and cut into batches.
    [[gnu::noinline]] void parse_stage(std::string_view piece) {
        _carry.feed(piece, [this](std::string_view& rest, input_end end) {
            for (;;) {
                const auto step = _parser.next(rest, end);
                if (step == line_step::need_more) {
                    return;
                }
                if (step != line_step::point || route(_parser.point()) != line_fault::none) {
                    std::fprintf(stderr, "line %llu is not taken\n", static_cast<unsigned long long>(_parser.line()));
                    std::exit(1);
                }
            }
        });
    }
    [[gnu::noinline]] void drain_stage(std::vector<routed_rows>& out) { _router.drain(out); }

    // As the shard that owns the rows does it.
    [[gnu::noinline]] void insert_stage(std::string& batch) {
        const auto rows = tables::row_batch_reader::open(batch);
        tables::set_timestamp(batch, base::tick{639'000'000'000'000'000 + static_cast<int64_t>(_sequence)});
        _memtable.insert(*rows, base::sequence{_sequence});
        _sequence += rows->rows_count();
    }

    [[gnu::noinline]] std::string build_stage() {
        tables::segment_builder builder(
            {.table = {1}, .seed = 1, .sequence_min = {1}, .sequence_max = {_sequence}, .placement = {}});
        std::string file;
        const auto take_steps = [&] {
            while (auto bytes = builder.step()) {
                file += *bytes;
            }
        };
        tables::memtable::cursor cursor(_memtable, base::sequence{std::numeric_limits<uint64_t>::max()});
        tables::row_resolver resolver;
        for (cursor.seek({}, {}); !cursor.is_end(); cursor.next()) {
            const auto row = resolver.resolve({cursor.partition_key(), cursor.row_key()}, cursor.versions());
            builder.add({cursor.partition_key(), cursor.row_key(), tables::row_kind::put, row.timestamp, row.row});
            take_steps();
        }
        builder.finish();
        take_steps();
        return file;
    }

    uint64_t values_count() const { return _values_count; }

private:
    line_fault route(const point_view& point) {
        _values_count += point.fields.size();
        return _router.route(point, _series, now_ns);
    }

    tables::catalog_state _catalog;
    family_index _index{_catalog, {}};
    series_cache _series{cached_series_count};
    point_builder _point;
    line_protocol_parser _parser{_point, time_precision::ns, &_series};
    point_router _router{_index, 1, {}};
    line_carry _carry;
    tables::memtable _memtable;
    uint64_t _sequence = 1;
    uint64_t _values_count = 0;
};

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: ingest_core_bench FILE [lines]\n");
        return 2;
    }
    const auto lines = read_lines(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : SIZE_MAX);
    pipeline p;
    double parse_ms = 0;
    double insert_ms = 0;
    uint64_t batches_checksum = 0;
    std::vector<routed_rows> batches;
    for (std::string_view rest = lines; !rest.empty();) {
        double start = now_ms();
        const auto piece = rest.substr(0, piece_bytes);
        rest.remove_prefix(piece.size());
        p.parse_stage(piece);
        p.drain_stage(batches);
        parse_ms += now_ms() - start;
        for (const auto& b : batches) {
            batches_checksum = base::checksum64(b.batch, batches_checksum);
        }
        start = now_ms();
        for (auto& b : batches) {
            p.insert_stage(b.batch);
        }
        batches.clear();
        insert_ms += now_ms() - start;
    }
    const double start = now_ms();
    const auto file = p.build_stage();
    const double build_ms = now_ms() - start;
    const auto values = static_cast<double>(p.values_count());
    std::printf("%.0f values, CPU ns each: parse %.1f, insert %.1f, build %.1f\n", values, parse_ms * 1e6 / values,
                insert_ms * 1e6 / values, build_ms * 1e6 / values);
    std::printf("segment of %zu bytes, checksum %016llx; of the batches %016llx\n", file.size(),
                static_cast<unsigned long long>(base::checksum64(file, 0)), static_cast<unsigned long long>(batches_checksum));
    return 0;
}

// Logs in blobs against zstd -3 of the same text: sizes with all bytes counted, speeds in raw text per CPU second, what filters
// take, and what a search reads. Takes a folder of samples (*.log) and how many MB to grow each to.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <zstd.h>

#include "bench/log_growth.hh"
#include "blobs/core/blob_builder.hh"
#include "blobs/core/blob_merge.hh"
#include "blobs/core/blob_search.hh"
#include "blobs/core/record_batch.hh"

namespace {

using namespace blobs;

constexpr int64_t start_ns = 1'794'816'000'000'000'000;
constexpr int64_t step_ns = 1'700'000;

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// On a shared machine the others measure the neighbours.
double best_of_three(const auto& work) {
    double best = 1e9;
    for (int run = 0; run < 3; ++run) {
        const double start = cpu_seconds();
        work();
        best = std::min(best, cpu_seconds() - start);
    }
    return best;
}

struct sums {
    double raw = 0;
    double zstd = 0;
    double blob = 0;
    double merged = 0;
    double log = 0;
    double filters = 0;
    double zstd_s = 0;
    double encode_s = 0;
    double decode_s = 0;
    double merge_s = 0;
    double log_s = 0;

    void operator+=(const sums& o) {
        raw += o.raw, zstd += o.zstd, blob += o.blob, merged += o.merged, log += o.log, filters += o.filters;
        zstd_s += o.zstd_s, encode_s += o.encode_s, decode_s += o.decode_s, merge_s += o.merge_s, log_s += o.log_s;
    }
};

void print(const char* name, const sums& s) {
    const double mb = s.raw / 1e6;
    std::printf("%-14s zstd-3 %6.2f (%4.0f MB/s) | blob %6.2f = x%.2f (%4.0f MB/s, filters %.1f%%) read %5.0f MB/s | merged "
                "%6.2f = x%.2f "
                "(%4.0f MB/s) | log %.3f (%4.0f MB/s)\n",
                name, s.raw / s.zstd, mb / s.zstd_s, s.raw / s.blob, s.zstd / s.blob, mb / s.encode_s, 100 * s.filters / s.blob,
                mb / s.decode_s, s.raw / s.merged, s.zstd / s.merged, mb / s.merge_s, s.log / s.raw, mb / s.log_s);
}

std::vector<record> records_of(std::string_view text) {
    std::vector<record> records;
    uint64_t sequence = 0;
    for (auto rest = text; !rest.empty(); ++sequence) {
        const auto line = rest.substr(0, rest.find('\n'));
        records.push_back({.order = {start_ns + static_cast<int64_t>(sequence) * step_ns, 0, sequence},
                           .level = 6,
                           .host = "host",
                           .app = "app",
                           .text = line,
                           .message = line,
                           .fields = {}});
        rest.remove_prefix(line.size() + 1);
    }
    return records;
}

double longest_step_s = 0;

void drain(blob_builder& builder, std::string& file) {
    double start = cpu_seconds();
    while (const auto bytes = builder.step()) {
        const double end = cpu_seconds();
        longest_step_s = std::max(longest_step_s, end - start);
        start = end;
        file += *bytes;
    }
}

blob_view open(std::string_view file) {
    const auto trailer = blob_trailer::parse(file.substr(file.size() - blob_layout::trailers_bytes), file.size());
    return *blob_view::open(*trailer, file.substr(trailer->footers().offset, trailer->footers().size));
}

void search(const char* what, const blob_view& blob, std::string_view file, std::string needle, scan_order order, size_t limit) {
    block_reader reader;
    double best = 1e9;
    size_t found = 0;
    uint64_t bytes = 0;
    for (int run = 0; run < 5; ++run) {
        const double start = cpu_seconds();
        record_predicate p;
        if (!needle.empty()) {
            p.texts.push_back({text_test::subject::message, text_test::kind::contains, needle});
        }
        const auto predicate = *compiled_predicate::compile(std::move(p));
        blob_search s(blob, predicate, order, reader);
        found = 0;
        while (const auto wanted = s.next()) {
            if (!s.bring(file.substr(wanted->offset, wanted->size))) {
                std::abort();
            }
            while (*s.scan([&](const record&) { return ++found < limit; })) {
            }
        }
        bytes = s.bytes_read();
        best = std::min(best, cpu_seconds() - start);
    }
    std::printf("    %-9s %-40.40s %8zu found %8.3f ms, reads %6.2f%%\n", what, needle.c_str(), found, best * 1e3,
                100.0 * static_cast<double>(bytes) / static_cast<double>(file.size()));
}

void write_log(const std::vector<record>& records, sums& s) {
    zstd_compressor zstd(zstd_level_log);
    record_batch_builder batch;
    std::string out;
    const double start = cpu_seconds();
    constexpr size_t batch_records = 512;
    for (size_t i = 0; i < records.size(); ++i) {
        if (i % batch_records == 0) {
            if (i != 0) {
                batch.finish(zstd, out);
            }
            batch.begin_group("source", 0, i);
        }
        batch.add(records[i]);
    }
    batch.finish(zstd, out);
    s.log_s = cpu_seconds() - start;
    s.log = static_cast<double>(out.size());
}

// Eight parts of the records, as sealing by size would make them, and one of those.
void merge(const std::vector<record>& records, sums& s) {
    std::vector<std::string> files;
    block_builder seal_block(zstd_level_seal);
    constexpr size_t parts = 8;
    for (size_t p = 0; p < parts; ++p) {
        blob_builder builder({"source", {}, p}, p, seal_block);
        std::string file;
        for (size_t i = p * records.size() / parts; i < (p + 1) * records.size() / parts; ++i) {
            if (builder.add(records[i])) {
                drain(builder, file);
            }
        }
        builder.finish();
        drain(builder, file);
        files.push_back(std::move(file));
    }
    std::vector<blob_view> views;
    std::vector<const blob_view*> inputs;
    for (const auto& file : files) {
        views.push_back(open(file));
    }
    for (const auto& view : views) {
        inputs.push_back(&view);
    }
    block_builder block(zstd_level_merge);
    const double start = cpu_seconds();
    blob_merge merge(inputs);
    blob_builder builder({"source", {}, 0}, 9, block);
    std::string out;
    while (!merge.is_done()) {
        if (const auto turn = merge.next()) {
            if (!merge.bring(*turn, files[turn->input].substr(turn->extent.offset, turn->extent.size))) {
                std::abort();
            }
        }
        while (*merge.step(builder)) {
            drain(builder, out);
        }
        drain(builder, out);
    }
    builder.finish();
    drain(builder, out);
    s.merge_s = cpu_seconds() - start;
    s.merged = static_cast<double>(out.size());
}

std::string middle_line(std::string_view text) {
    const size_t begin = text.find('\n', text.size() / 2) + 1;
    return std::string(text.substr(begin, text.find('\n', begin) - begin));
}

sums run(const char* name, const std::string& text) {
    sums s{.raw = static_cast<double>(text.size())};
    std::string plain(ZSTD_compressBound(text.size()), '\0');
    s.zstd_s = best_of_three(
        [&] { s.zstd = static_cast<double>(ZSTD_compress(plain.data(), plain.size(), text.data(), text.size(), 3)); });

    const auto records = records_of(text);
    std::string file;
    block_builder block(zstd_level_seal);
    s.encode_s = best_of_three([&] {
        file.clear();
        blob_builder builder({"source", {}, 1}, 1, block);
        for (const auto& r : records) {
            if (builder.add(r)) {
                drain(builder, file);
            }
        }
        builder.finish();
        drain(builder, file);
        s.filters = static_cast<double>(builder.filter_bytes());
    });
    s.blob = static_cast<double>(file.size());

    const auto blob = open(file);
    block_reader reader;
    std::string back;
    back.reserve(text.size() + 1);
    s.decode_s = best_of_three([&] {
        back.clear();
        for (size_t i = 0; i < blob.blocks().size(); ++i) {
            const auto extent = blob.blocks()[i].extent;
            if (!blob.open_block(i, std::string_view(file).substr(extent.offset, extent.size), reader) ||
                !reader.read_raw(back)) {
                std::abort();
            }
        }
    });
    if (back != text) {
        std::printf("%s: DOES NOT COME BACK\n", name);
        std::exit(1);
    }
    write_log(records, s);
    merge(records, s);
    print(name, s);
    search("absent", blob, file, "absentneedle", scan_order::newest_first, SIZE_MAX);
    search("absent id", blob, file, "blk_7128370237687728475x", scan_order::newest_first, SIZE_MAX);
    const auto line = middle_line(text);
    search("rare", blob, file, line.substr(line.size() / 3), scan_order::newest_first, SIZE_MAX);
    search("common", blob, file, "er", scan_order::newest_first, SIZE_MAX);
    search("newest 10", blob, file, "", scan_order::newest_first, 10);
    return s;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "blob_bench SAMPLES_FOLDER MEGABYTES\n");
        return 2;
    }
    sums all;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
        if (entry.path().extension() == ".log") {
            std::ifstream in(entry.path());
            std::stringstream sample;
            sample << in.rdbuf();
            all += run(entry.path().stem().c_str(),
                       bench::grow_log(sample.str(), std::strtoul(argv[2], nullptr, 10) * 1'000'000, 1));
        }
    }
    print("all", all);
    std::printf("longest step of a builder: %.2f ms; bytes written per raw byte (log, blob, merge): %.3f\n", longest_step_s * 1e3,
                (all.log + all.blob + all.merged) / all.raw);
}

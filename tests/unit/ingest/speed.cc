// How fast the paths are that every point and record takes. Not a test: build ingest_core_speed in an optimised tree and run it
// on a quiet machine.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <random>
#include <string>

#include <fmt/format.h>

#include "ingest/core/graphite.hh"
#include "ingest/core/json_lines.hh"
#include "ingest/core/line_protocol.hh"
#include "ingest/core/series_cache.hh"
#include "ingest/core/syslog.hh"
#include "ingest/core/syslog_framing.hh"
#include "tables/core/family/point_key.hh"
#include "tables/core/family/property_name.hh"

namespace {

size_t allocations = 0;

} // namespace

void* operator new(size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
    std::free(memory);
}

namespace {

using namespace ingest;

constexpr size_t input_bytes = size_t{8} << 20;
constexpr size_t read_bytes = size_t{128} << 10;
constexpr int hosts_count = 4'000;
constexpr int rounds_count = 40;

double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// The best of many rounds, since the others were disturbed. `work` returns how many entries it took.
template <class Work>
void measure(const char* what, const std::string& input, Work work) {
    double best = 1e18;
    size_t entries = 0;
    size_t allocated = 0;
    for (int round = 0; round < rounds_count; ++round) {
        const size_t before = allocations;
        const double start = cpu_seconds();
        entries = work(std::string_view(input));
        best = std::min(best, cpu_seconds() - start);
        allocated = allocations - before;
    }
    std::printf("%-34s %7.0f MB/s %8.2f M/s %7.0f ns each %8zu allocations\n", what,
                static_cast<double>(input.size()) / best / 1e6, static_cast<double>(entries) / best / 1e6,
                best / static_cast<double>(entries) * 1e9, allocated);
}

std::string repeat(auto make_line) {
    std::mt19937_64 random(1);
    std::string text;
    for (int64_t i = 0; text.size() < input_bytes; ++i) {
        text += make_line(random, i);
    }
    return text;
}

std::string tags(int host, bool is_sorted) {
    if (is_sorted) {
        return fmt::format(
            "arch=x64,datacenter=eu-central-1a,hostname=host_{},os=Ubuntu16.04LTS,rack={},region=eu-central-1,service={},"
            "service_environment=production,service_version=1,team=NYC",
            host, host % 100, host % 20);
    }
    return fmt::format(
        "hostname=host_{},region=eu-central-1,datacenter=eu-central-1a,rack={},os=Ubuntu16.04LTS,arch=x64,team=NYC,"
        "service={},service_version=1,service_environment=production",
        host, host % 100, host % 20);
}

std::string cpu_line(std::mt19937_64& random, int64_t i, int hosts, bool is_sorted) {
    static constexpr const char* names[] = {"usage_user", "usage_system",  "usage_idle",  "usage_nice",  "usage_iowait",
                                            "usage_irq",  "usage_softirq", "usage_steal", "usage_guest", "usage_guest_nice"};
    auto line = "cpu," + tags(static_cast<int>(i) % hosts, is_sorted) + " ";
    for (const auto* name : names) {
        line += fmt::format("{}={:.{}f},", name, static_cast<double>(random() % 10'000'000) / 1e5, random() % 4);
    }
    line.back() = ' ';
    return line + fmt::format("{}\n", 1'730'000'000'000'000'000 + i * 10'000'000);
}

// As a connection would: so many bytes at a time, what is left of them again.
template <class Parser, class Use>
size_t read_all(Parser& parser, std::string_view input, Use use) {
    size_t entries = 0;
    size_t fed = 0;
    std::string_view rest(input.data(), 0);
    while (fed < input.size()) {
        const size_t size = std::min(read_bytes, input.size() - fed);
        rest = {rest.data(), rest.size() + size};
        fed += size;
        for (line_step step; (step = parser.next(rest)) != line_step::need_more;) {
            if (step == line_step::bad_line) {
                std::printf("bad line: %s\n", std::string(reason(parser.fault().fault)).c_str());
                std::exit(1);
            }
            use(step);
            ++entries;
        }
    }
    return entries;
}

void line_protocol() {
    point_builder point;
    line_protocol_parser parser(point);
    auto nothing = [](line_step) {};
    for (bool is_sorted : {false, true}) {
        const auto many = repeat([&](auto& random, int64_t i) { return cpu_line(random, i, hosts_count, is_sorted); });
        const auto few = repeat([&](auto& random, int64_t i) { return cpu_line(random, i, 100, is_sorted); });
        const std::string kind = is_sorted ? ", sorted tags" : ", unsorted tags";
        measure(("line protocol" + kind).c_str(), many, [&](auto input) { return read_all(parser, input, nothing); });
        series_cache cache(1024);
        auto look_up = [&](line_step) { cache.series_of(parser.point()).value(); };
        measure(("  + series, 4000 hosts" + kind).c_str(), many, [&](auto input) { return read_all(parser, input, look_up); });
        measure(("  + series, 100 hosts" + kind).c_str(), few, [&](auto input) { return read_all(parser, input, look_up); });
    }
    const auto lines = repeat([&](auto& random, int64_t i) { return cpu_line(random, i, hosts_count, false); });
    auto name_all = [&](line_step) {
        for (const auto& field : parser.point().fields) {
            if (!tables::is_plain_property_name(field.name)) {
                std::exit(1);
            }
        }
        if (tables::point_key(*parser.point().time_ns)[0] == 'x') {
            std::exit(1);
        }
    };
    measure("  + property names and row key", lines, [&](auto input) { return read_all(parser, input, name_all); });
}

void others() {
    point_builder point;
    record_builder record;
    auto nothing = [](line_step) {};
    graphite_parser graphite(point);
    const auto paths = repeat([](auto& random, int64_t i) {
        return fmt::format("servers.host_{}.cpu.total.user {:.2f} {}\n", i % hosts_count,
                           static_cast<double>(random() % 10'000) / 100, 1'730'000'000 + i);
    });
    measure("graphite", paths, [&](auto input) { return read_all(graphite, input, nothing); });
    json_reader reader(point, record);
    json_lines_parser json(reader);
    const auto records = repeat([](auto& random, int64_t i) {
        return fmt::format(
            R"({{"source":"web","time":"2026-11-16T09:30:00.{:06}Z","level":"info","host":"host_{}","app":"nginx",)"
            R"("message":"GET /articles/{} HTTP/1.1","status":200,"bytes":{},"http":{{"agent":"curl/8.1"}}}})"
            "\n",
            i % 1'000'000, i % hosts_count, random() % 1000, random() % 100'000);
    });
    measure("JSON lines, records", records, [&](auto input) { return read_all(json, input, nothing); });
    const auto messages = repeat([](auto& random, int64_t i) {
        return fmt::format(
            "<134>1 2026-11-16T09:30:00.{:06}Z host_{} nginx 1234 ID47 [req@1 id=\"{}\" ms=\"12\"] GET /articles HTTP/1.1\n",
            i % 1'000'000, i % hosts_count, random());
    });
    measure("syslog, RFC 5424 lines", messages, [&](std::string_view input) {
        syslog_splitter splitter;
        syslog_reader syslog(record);
        size_t count = 0;
        while (const auto message = splitter.next(input, input_end::no)) {
            count += syslog.read(message->bytes, {}).fields.size() / 2;
        }
        return count;
    });
}

} // namespace

int main() {
    line_protocol();
    others();
}

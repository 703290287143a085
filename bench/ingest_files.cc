// Writes the files of `./dev bench ingest`: line protocol, the same for every server that is measured.
//
//   ingest_files DIR                      all of these
//   ingest_files DIR hosts HOSTS STEPS    hosts.lp alone, of another size
//   ingest_files DIR recent HOSTS STEPS   recent.lp: the same, but its last step is now
//   ingest_files DIR rows FIRST COUNT     rows.lp: so many rows of one value, from that one on: 1,000 series, a step of 1 s
//
// hosts.lp     4,000 hosts, 10 tags, 10 fields, a step of 10 s for an hour: 14.4 M values in the order of time
// shuffled.lp  the same lines in another order
// integer.lp, decimal.lp, full.lp   100 hosts for a day: counters, two decimals, and all digits of a double
// one.lp       a single host, a step of 100 ms for a day

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

constexpr int64_t step_ns = 10'000'000'000;
constexpr int64_t one_step_ns = 100'000'000;
// The day before yesterday of no day in particular: all within one period, none in the future.
constexpr int64_t start_ns = 1'793'577'600'000'000'000;
// 50 M rows of 1,000 series, a second apart, fit into the day.
constexpr int64_t rows_step_ns = 1'000'000'000;
constexpr const char* field_names[] = {"usage_user", "usage_system",  "usage_idle",  "usage_nice",  "usage_iowait",
                                       "usage_irq",  "usage_softirq", "usage_steal", "usage_guest", "usage_guest_nice"};

enum class numbers { integer, decimal, full };

std::string tags_of(int host) {
    const char* regions[] = {"eu-central-1", "us-east-1", "us-west-2", "ap-south-1"};
    return fmt::format(
        "arch=x64,datacenter={}{},hostname=host_{},os=Ubuntu16.04LTS,rack={},region={},service={},service_environment={},"
        "service_version={},team={}",
        regions[host % 4], static_cast<char>('a' + host % 3), host, host % 97, regions[host % 4], host % 19,
        host % 2 == 0 ? "production" : "staging", host % 2, host % 5 == 0 ? "NYC" : "SF");
}

// Each value a walk of its own, as the load of a machine is.
class machine {
public:
    machine(int host, uint64_t seed) : _tags(tags_of(host)), _random(seed) {
        for (auto& value : _values) {
            value = static_cast<double>(_random() % 10'000) / 100;
        }
    }

    void append_line(std::string& out, int64_t time_ns, numbers kind) {
        out += "cpu,";
        out += _tags;
        for (size_t i = 0; i < std::size(field_names); ++i) {
            auto& value = _values[i];
            value = std::clamp(value + std::normal_distribution<double>(0, 1)(_random), 0.0, 100.0);
            out += i == 0 ? ' ' : ',';
            switch (kind) {
            case numbers::integer: fmt::format_to(std::back_inserter(out), "{}={}i", field_names[i], std::llround(value)); break;
            case numbers::decimal: fmt::format_to(std::back_inserter(out), "{}={:.2f}", field_names[i], value); break;
            case numbers::full: fmt::format_to(std::back_inserter(out), "{}={}", field_names[i], value); break;
            }
        }
        fmt::format_to(std::back_inserter(out), " {}\n", time_ns);
    }

private:
    std::string _tags;
    std::mt19937_64 _random;
    double _values[std::size(field_names)];
};

void write_lines(const std::filesystem::path& path, int hosts_count, int steps_count, numbers kind, int64_t first_ns = start_ns,
                 int64_t step = step_ns) {
    std::vector<machine> machines;
    for (int host = 0; host < hosts_count; ++host) {
        machines.emplace_back(host, static_cast<uint64_t>(host) + 1);
    }
    std::ofstream out(path, std::ios::binary);
    std::string lines;
    for (int i = 0; i < steps_count; ++i) {
        lines.clear();
        for (auto& m : machines) {
            m.append_line(lines, first_ns + i * step, kind);
        }
        out << lines;
    }
}

void shuffle_lines(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::ifstream in(from, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::string_view> lines;
    for (std::string_view rest = text; !rest.empty();) {
        lines.push_back(rest.substr(0, rest.find('\n') + 1));
        rest.remove_prefix(lines.back().size());
    }
    std::ranges::shuffle(lines, std::mt19937_64(1));
    std::ofstream out(to, std::ios::binary);
    for (const auto line : lines) {
        out << line;
    }
}

// What a table of many rows is made of, piece by piece.
void write_rows(const std::filesystem::path& path, int64_t first, int64_t count) {
    constexpr int64_t series_count = 1'000;
    std::ofstream out(path, std::ios::binary);
    std::string lines;
    for (int64_t row = first; row < first + count; ++row) {
        fmt::format_to(std::back_inserter(lines), "rows,hostname=host_{} value={}i {}\n", row % series_count, row * 7'919 % 100,
                       start_ns + row / series_count * rows_step_ns);
        if (lines.size() >= 1u << 20) {
            out << lines;
            lines.clear();
        }
    }
    out << lines;
}

void write_all(const std::filesystem::path& dir) {
    write_lines(dir / "hosts.lp", 4'000, 360, numbers::integer);
    shuffle_lines(dir / "hosts.lp", dir / "shuffled.lp");
    write_lines(dir / "integer.lp", 100, 8'640, numbers::integer);
    write_lines(dir / "decimal.lp", 100, 8'640, numbers::decimal);
    write_lines(dir / "full.lp", 100, 8'640, numbers::full);
    write_lines(dir / "one.lp", 1, 864'000, numbers::integer, start_ns, one_step_ns);
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc == 5 ? argv[2] : "";
    if (argc != 2 && what != "hosts" && what != "recent" && what != "rows") {
        std::fprintf(stderr, "usage: ingest_files DIR [hosts|recent HOSTS STEPS | rows FIRST COUNT]\n");
        return 2;
    }
    const std::filesystem::path dir = argv[1];
    std::filesystem::create_directories(dir);
    if (what.empty()) {
        write_all(dir);
    } else if (what == "hosts") {
        write_lines(dir / "hosts.lp", std::atoi(argv[3]), std::atoi(argv[4]), numbers::integer);
    } else if (what == "recent") {
        const int64_t now_ns = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
        write_lines(dir / "recent.lp", std::atoi(argv[3]), std::atoi(argv[4]), numbers::integer,
                    now_ns - std::atoi(argv[4]) * step_ns);
    } else {
        write_rows(dir / "rows.lp", std::atoll(argv[3]), std::atoll(argv[4]));
    }
}

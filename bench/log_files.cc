// Writes the log of `./dev bench logs`: syslog messages (RFC 5424, a line each) in the order of time.
//
//   log_files FILE MEGABYTES [SAMPLES]
//
// Grown from the *.log of the folder SAMPLES, or from made samples; each sample is an app, their lines take turns. The times are
// two whole hours that ended at least an hour ago. Prints what to search for, as name=value lines for a shell.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/log_growth.hh"
#include "bench/log_samples.hh"

namespace {

constexpr uint64_t seed = 1;
constexpr int64_t span_s = 7'200;
constexpr int hosts_count = 20;

struct growing_log {
    std::string app;
    std::string text;
    std::string_view rest;
    size_t lines_count = 0;

    std::string_view next() {
        auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        return line;
    }
};

std::vector<growing_log> grow(const std::vector<bench::log_sample>& samples, size_t bytes) {
    std::vector<growing_log> logs;
    for (const auto& sample : samples) {
        auto& log = logs.emplace_back(sample.name, bench::grow_log(sample.text, bytes / samples.size(), seed));
        log.lines_count = static_cast<size_t>(std::ranges::count(log.text, '\n'));
    }
    for (auto& log : logs) {
        log.rest = log.text;
    }
    return logs;
}

// Writes lines and remembers what a search will be for.
class log_writer {
public:
    log_writer(const char* path, size_t lines_count) : _out(path, std::ios::binary), _lines_count(lines_count) {
        const auto now =
            std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
        _start_s = now / 3'600 * 3'600 - 3'600 - span_s;
    }

    void add(const growing_log& log, std::string_view line) {
        const auto ns = static_cast<int64_t>(static_cast<double>(_at) / static_cast<double>(_lines_count) * 1e9 * span_s);
        const auto time = std::chrono::sys_seconds(std::chrono::seconds(_start_s + ns / 1'000'000'000));
        fmt::format_to(std::back_inserter(_lines), "<134>1 {:%Y-%m-%dT%H:%M:%S}.{:06}Z host{} {} {} - - {}\n", time,
                       ns / 1'000 % 1'000'000, _at % hosts_count, log.app, 100 + log.app.size(), line);
        if (_at >= _lines_count / 2 && _rare.empty()) {
            look_for_id(line);
        }
        if (_at % words_stride == 0) {
            count_words(line);
        }
        ++_at;
        if (_lines.size() >= 1u << 20) {
            _out << std::exchange(_lines, {});
        }
    }

    void finish() {
        _out << _lines;
        fmt::print("start={}\nlines={}\nrare='{}'\ncommon='{}'\n", _start_s, _at, _rare, common());
    }

private:
    static constexpr size_t words_stride = 50;

    static bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

    void each_word(std::string_view line, const auto& take) {
        for (size_t i = 0; i < line.size();) {
            const size_t begin = i;
            while (i < line.size() && is_letter(line[i])) {
                ++i;
            }
            take(line.substr(begin, i - begin));
            ++i;
        }
    }

    void count_words(std::string_view line) {
        ++_counted;
        each_word(line, [&](std::string_view word) {
            if (word.size() >= 4 && std::ranges::none_of(word, [](char c) { return c >= '0' && c <= '9'; })) {
                ++_words[std::string(word)];
            }
        });
    }

    // The most frequent word of those that stand in less than a tenth of the lines.
    std::string common() const {
        std::pair<size_t, std::string> best;
        for (const auto& [word, count] : _words) {
            if (count < _counted / 10) {
                best = std::max(best, {count, word});
            }
        }
        return best.second;
    }

    // A long word that is mostly digits is another one in each round of growing.
    void look_for_id(std::string_view line) {
        each_word(line, [&](std::string_view word) {
            const auto digits = std::ranges::count_if(word, [](char c) { return c >= '0' && c <= '9'; });
            if (word.size() >= 9 && digits >= 6) {
                _rare = word;
            }
        });
    }

    std::ofstream _out;
    size_t _lines_count;
    int64_t _start_s;
    size_t _at = 0;
    std::string _lines;
    std::string _rare;
    size_t _counted = 0;
    std::unordered_map<std::string, size_t> _words;
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) {
        std::fprintf(stderr, "usage: log_files FILE MEGABYTES [SAMPLES]\n");
        return 2;
    }
    const auto samples = argc == 4 ? bench::read_log_samples(argv[3]) : bench::make_log_samples();
    auto logs = grow(samples, std::strtoul(argv[2], nullptr, 10) * 1'000'000);
    size_t longest = 0;
    size_t lines_count = 0;
    for (const auto& log : logs) {
        longest = std::max(longest, log.lines_count);
        lines_count += log.lines_count;
    }
    log_writer writer(argv[1], lines_count);
    // Each in proportion to its lines, so that all end together.
    for (size_t turn = 1; turn <= longest; ++turn) {
        for (auto& log : logs) {
            const size_t due = turn * log.lines_count / longest;
            for (size_t done = (turn - 1) * log.lines_count / longest; done < due; ++done) {
                writer.add(log, log.next());
            }
        }
    }
    writer.finish();
}

// What a client feels of merges: small writes and questions for the newest rows, both at a pace, while lines come in behind them.
//
//   compaction_load PORT FILE SECONDS
//
// Lines of FILE are sent a thousand at a time, from its begin again when it is over. If they belong to a period that is over,
// every flush of them has the whole table of that period merged; if to the running one, next to nothing is merged. One line of
// JSON.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/load_loop.hh"

namespace {

constexpr size_t batch_lines = 1'000;
constexpr double batches_per_second = 50;
constexpr double writes_per_second = 200;
constexpr double questions_per_second = 100;
constexpr unsigned connections_count = 32;
constexpr unsigned hosts_count = 400; // there are more; these are asked for

void append_post(std::string& out, std::string_view lines) {
    fmt::format_to(std::back_inserter(out), "POST /write?db=bench HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n{}",
                   lines.size(), lines);
}

// The lines of a file, over and over.
class line_source {
public:
    explicit line_source(const char* path) {
        std::ifstream in(path, std::ios::binary);
        _text.assign(std::istreambuf_iterator<char>(in), {});
    }

    std::string_view next() {
        if (_at >= _text.size()) {
            _at = 0;
        }
        const size_t begin = _at;
        for (size_t i = 0; i < batch_lines && _at < _text.size(); ++i) {
            _at = std::min(_text.find('\n', _at), _text.size() - 1) + 1;
        }
        return std::string_view(_text).substr(begin, _at - begin);
    }

private:
    std::string _text;
    size_t _at = 0;
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: compaction_load PORT FILE SECONDS\n");
        return 2;
    }
    line_source lines(argv[2]);
    std::mt19937_64 random(1);
    uint64_t number = 0;
    const auto send_lines = [&](std::string& out) { append_post(out, lines.next()); };
    const auto write = [&](std::string& out) {
        append_post(out, fmt::format("probe,host=h{} value={}i\n", number % 100, number)), ++number;
    };
    const auto ask = [&](std::string& out) {
        fmt::format_to(std::back_inserter(out),
                       "GET /v1/tail?from=cpu&where=hostname%20eq%20%27host_{}%27&n=10 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                       random() % hosts_count);
    };
    std::vector<bench::load_group> groups;
    groups.push_back({connections_count, send_lines, 204, batches_per_second});
    groups.push_back({connections_count, write, 204, writes_per_second});
    groups.push_back({connections_count, ask, 200, questions_per_second});
    bench::run_load(static_cast<uint16_t>(std::atoi(argv[1])), groups, std::atof(argv[3]));
    fmt::print("{{\"batches\":{},\"writes\":{},\"write_p50_ms\":{:.3f},\"write_p99_ms\":{:.3f},\"newest\":{},\"newest_p50_ms\":{:"
               ".3f},\"newest_p99_ms\":{:.3f},"
               "\"refused\":{},\"failed\":{}}}\n",
               groups[0].done, groups[1].done, groups[1].took.at(0.5), groups[1].took.at(0.99), groups[2].done,
               groups[2].took.at(0.5), groups[2].took.at(0.99), groups[0].refused + groups[1].refused + groups[2].refused,
               groups[0].failed + groups[1].failed + groups[2].failed);
}

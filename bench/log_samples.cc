#include "bench/log_samples.hh"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include <fmt/format.h>

namespace bench {
namespace {

constexpr int lines_of_sample = 2'000;

class line_maker {
public:
    explicit line_maker(uint64_t seed) : _random(seed) {}

    std::string web() {
        static constexpr const char* paths[] = {"/",      "/index.html", "/api/v2/orders", "/static/site.css",
                                                "/login", "/favicon.ico"};
        static constexpr int statuses[] = {200, 200, 200, 200, 304, 404, 500};
        return fmt::format(R"({} - - [{}] "{} {}?id={} HTTP/1.1" {} {} "-" "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101")",
                           address(), clock(), number(5) == 0 ? "POST" : "GET", pick(paths), number(100'000), pick(statuses),
                           number(50'000));
    }

    std::string application() {
        static constexpr const char* texts[] = {"cache miss for key user:{0}", "request {0} finished in {1} ms",
                                                "retrying call to billing, attempt {1}", "connection pool has {1} of 64 free",
                                                "order {0} was placed by customer {1}"};
        static constexpr const char* levels[] = {"INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"};
        return fmt::format("{} {:5} [worker-{}] c.e.shop.Service{} - {}", clock(), pick(levels), number(16), number(9),
                           fmt::format(fmt::runtime(pick(texts)), number(10'000'000), number(500)));
    }

    std::string login() {
        static constexpr const char* users[] = {"root", "admin", "test", "oracle", "deploy"};
        const auto process = 20'000 + number(9'000);
        switch (number(3)) {
        case 0:
            return fmt::format("sshd[{}]: Failed password for invalid user {} from {} port {} ssh2", process, pick(users),
                               address(), port());
        case 1: return fmt::format("sshd[{}]: Received disconnect from {}: 11: Bye Bye [preauth]", process, address());
        default:
            return fmt::format("sshd[{}]: pam_unix(sshd:session): session opened for user {} by (uid={})", process, pick(users),
                               number(1'000));
        }
    }

    std::string store() {
        const auto block = fmt::format("blk_{}{:09}", 1 + number(9), number(1'000'000'000));
        switch (number(3)) {
        case 0:
            return fmt::format("{} {} INFO dfs.PacketResponder: PacketResponder {} for block {} terminating", clock(),
                               number(400), number(3), block);
        case 1:
            return fmt::format("{} {} INFO dfs.DataNode: Receiving block {} src: /{}:{} dest: /{}:50010", clock(), number(400),
                               block, address(), port(), address());
        default:
            return fmt::format("{} {} INFO dfs.Namesystem: addStoredBlock: {}:50010 is added to {} size {}", clock(), number(400),
                               address(), block, number(67'108'864));
        }
    }

private:
    uint64_t number(uint64_t end) { return _random() % end; }
    uint64_t port() { return 30'000 + number(30'000); }
    std::string address() { return fmt::format("10.{}.{}.{}", number(4), number(50), 1 + number(250)); }

    template <typename T, size_t n>
    T pick(const T (&from)[n]) {
        return from[number(n)];
    }

    std::string clock() {
        _ms += number(400);
        return fmt::format("2026-03-14 {:02}:{:02}:{:02},{:03}", _ms / 3'600'000 % 24, _ms / 60'000 % 60, _ms / 1'000 % 60,
                           _ms % 1'000);
    }

    std::mt19937_64 _random;
    uint64_t _ms = 0;
};

log_sample make(std::string name, uint64_t seed, std::string (line_maker::*line)()) {
    line_maker maker(seed);
    std::string text;
    for (int i = 0; i < lines_of_sample; ++i) {
        text += (maker.*line)();
        text += '\n';
    }
    return {std::move(name), std::move(text)};
}

} // namespace

std::vector<log_sample> read_log_samples(const std::filesystem::path& folder) {
    std::vector<log_sample> samples;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".log") {
            std::ifstream in(entry.path(), std::ios::binary);
            samples.push_back({entry.path().stem(), {std::istreambuf_iterator<char>(in), {}}});
        }
    }
    std::ranges::sort(samples, {}, &log_sample::name);
    return samples;
}

std::vector<log_sample> make_log_samples() {
    return {make("web", 1, &line_maker::web), make("shop", 2, &line_maker::application), make("login", 3, &line_maker::login),
            make("store", 4, &line_maker::store)};
}

} // namespace bench

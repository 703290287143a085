#include "tests/torture/stream_place.hh"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>

#include <fmt/format.h>
#include <simdjson.h>

namespace torture {
namespace {

constexpr int64_t ns_per_s = 1'000'000'000;
constexpr int64_t step_ns = 1'000'000;
constexpr int64_t day_s = 86'400;
constexpr int64_t before_midnight_s = 5;
constexpr size_t page_rows = 5'000;
constexpr size_t text_length_max = 96;
constexpr int tries_max = 20;
constexpr auto between_tries = std::chrono::milliseconds(250);

struct page {
    std::vector<uint64_t> numbers;
    std::string cursor;
};

std::string_view text_of(const simdjson::dom::element& row, stream_place::kind what) {
    std::string_view text;
    const auto found = what == stream_place::kind::family ? row["fields"]["text"].get(text) : row["message"].get(text);
    return found == simdjson::SUCCESS ? text : std::string_view();
}

// Who is told to come again later does so.
std::optional<http_reply> ask(http_connection& c, const std::string& target) {
    for (int tries = 1;; ++tries) {
        auto reply = c.send({.target = target, .fields = {{"Accept", "application/json"}}});
        if (!reply || reply->status != 503 || tries == tries_max) {
            return reply;
        }
        std::this_thread::sleep_for(between_tries);
    }
}

answer<page> read_page(http_connection& c, const stream_place& place, const std::string& target, verdict& v) {
    const auto reply = ask(c, target);
    simdjson::dom::parser parser;
    simdjson::dom::element body;
    simdjson::dom::array rows;
    if (!reply || reply->status != 200 || parser.parse(reply->body).get(body) != simdjson::SUCCESS ||
        body["rows"].get(rows) != simdjson::SUCCESS) {
        return std::unexpected(reply ? fmt::format("{} {}", reply->status, reply->body.substr(0, 200)) : "no answer");
    }
    page p;
    for (const auto row : rows) {
        const std::string text(text_of(row, place.what));
        const auto n = std::strtoull(text.c_str(), nullptr, 10);
        if (text != entry_text(n)) {
            v.violated("P3", fmt::format("{}: an entry with the text '{}' was never sent", place.name, text));
        }
        p.numbers.push_back(n);
    }
    if (const auto damaged = reply->field("X-Downtick-Damaged"); !damaged.empty()) {
        return std::unexpected("damaged: " + damaged);
    }
    std::string_view cursor;
    if (body["cursor"].get(cursor) == simdjson::SUCCESS) {
        p.cursor = cursor;
    }
    return p;
}

} // namespace

int64_t stream_place::time_ns(uint64_t n) const {
    return begin_ns + static_cast<int64_t>(n) * step_ns;
}

int64_t stream_begin_ns() {
    return (std::time(nullptr) / day_s * day_s - before_midnight_s) * ns_per_s;
}

std::string entry_text(uint64_t n) {
    auto mixed = n * 0x9e3779b97f4a7c15;
    auto text = fmt::format("{} ", n);
    for (auto length = mixed % text_length_max; length > 0; --length) {
        mixed = mixed * 6364136223846793005 + 1442695040888963407;
        text += static_cast<char>('a' + (mixed >> 33) % 26);
    }
    return text + '.';
}

answer<std::vector<uint64_t>> read_range(http_connection& c, const stream_place& place, uint64_t first, uint64_t end,
                                         verdict& v) {
    const auto target = fmt::format("/v1/range?from={}&start={}&end={}&limit={}", place.from(), place.time_ns(first),
                                    place.time_ns(end), page_rows);
    std::vector<uint64_t> all;
    for (std::string cursor;;) {
        const auto p = read_page(c, place, cursor.empty() ? target : target + "&cursor=" + cursor, v);
        if (!p) {
            return std::unexpected(p.error());
        }
        all.insert(all.end(), p->numbers.begin(), p->numbers.end());
        cursor = p->cursor;
        if (cursor.empty()) {
            return all;
        }
    }
}

answer<std::vector<uint64_t>> read_tail(http_connection& c, const stream_place& place, size_t count, verdict& v) {
    return read_page(c, place, fmt::format("/v1/tail?from={}&n={}", place.from(), count), v).transform([](page&& p) {
        return std::move(p.numbers);
    });
}

} // namespace torture

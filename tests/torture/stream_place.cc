#include "tests/torture/stream_place.hh"

#include <cstdlib>
#include <ctime>

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

struct page {
    std::vector<uint64_t> numbers;
    std::string cursor;
};

std::string_view text_of(const simdjson::dom::element& row, stream_place::kind what) {
    std::string_view text;
    const auto found = what == stream_place::kind::family ? row["fields"]["text"].get(text) : row["message"].get(text);
    return found == simdjson::SUCCESS ? text : std::string_view();
}

std::optional<page> read_page(http_connection& c, const stream_place& place, const std::string& target, verdict& v) {
    const auto reply = c.send({.target = target, .fields = {{"Accept", "application/json"}}});
    simdjson::dom::parser parser;
    simdjson::dom::element answer;
    simdjson::dom::array rows;
    if (!reply || reply->status != 200 || parser.parse(reply->body).get(answer) != simdjson::SUCCESS ||
        answer["rows"].get(rows) != simdjson::SUCCESS) {
        return std::nullopt;
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
    if (!reply->field("X-Downtick-Damaged").empty()) {
        return std::nullopt;
    }
    std::string_view cursor;
    if (answer["cursor"].get(cursor) == simdjson::SUCCESS) {
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

std::optional<std::vector<uint64_t>> read_range(http_connection& c, const stream_place& place, uint64_t first, uint64_t end,
                                                verdict& v) {
    const auto target = fmt::format("/v1/range?from={}&start={}&end={}&limit={}", place.from(), place.time_ns(first),
                                    place.time_ns(end), page_rows);
    std::vector<uint64_t> all;
    for (std::string cursor;;) {
        const auto p = read_page(c, place, cursor.empty() ? target : target + "&cursor=" + cursor, v);
        if (!p) {
            return std::nullopt;
        }
        all.insert(all.end(), p->numbers.begin(), p->numbers.end());
        cursor = p->cursor;
        if (cursor.empty()) {
            return all;
        }
    }
}

std::optional<std::vector<uint64_t>> read_tail(http_connection& c, const stream_place& place, size_t count, verdict& v) {
    auto p = read_page(c, place, fmt::format("/v1/tail?from={}&n={}", place.from(), count), v);
    return p ? std::optional(std::move(p->numbers)) : std::nullopt;
}

} // namespace torture

#include "tests/torture/stream_load.hh"

#include <algorithm>
#include <thread>
#include <tuple>

#include <fmt/format.h>

namespace torture {
namespace {

// Of a question asked while others write.
constexpr uint64_t window = 500;
constexpr size_t tail_count = 20;
// Questions are there to be checked, not to be the load.
constexpr auto pause = std::chrono::milliseconds(20);
// Of one question of verify(), and how much of what was verified before it looks at again.
constexpr uint64_t slice = 20'000;
constexpr uint64_t again = 2'000;

} // namespace

void stream_load::run(site& s, std::mt19937_64& random) {
    std::thread reader([this, &s, seed = random()] { read_while_written(s, seed); });
    write(s, random);
    reader.join();
}

answer<void> stream_load::check_range(site& s, http_connection& c, uint64_t first, uint64_t end, const std::string& where) {
    const auto owed = _oracle.owed(first, end);
    const auto found = read_range(c, _place, first, end, s.found);
    if (!found) {
        return std::unexpected(found.error());
    }
    if (!std::ranges::is_sorted(*found)) {
        s.found.violated("P1", fmt::format("{}, {}: an answer is not in the order of time", where, _place.name));
    }
    _oracle.check(first, end, owed, *found, where);
    return {};
}

// The newest are the last ones: their times grow with their numbers.
void stream_load::check_tail(site& s, http_connection& c) {
    const auto sent = _oracle.sent_count();
    const auto owed = _oracle.owed(0, sent);
    const auto found = read_tail(c, _place, tail_count, s.found);
    if (!found) {
        return;
    }
    const auto last_owed = std::ranges::find(owed.rbegin(), owed.rend(), true);
    const auto owed_end = static_cast<uint64_t>(owed.rend() - last_owed);
    if (!std::ranges::is_sorted(*found, std::greater()) || (owed_end > 0 && (found->empty() || found->front() + 1 < owed_end))) {
        s.found.violated("P1", fmt::format("{}: the tail begins with {}, and {} was acknowledged", _place.name,
                                           found->empty() ? 0 : found->front(), owed_end - 1));
    }
}

void stream_load::read_while_written(site& s, uint64_t seed) {
    std::mt19937_64 random(seed);
    http_connection c(s.native_port);
    for (; !s.is_over; std::this_thread::sleep_for(pause)) {
        const auto sent = _oracle.sent_count();
        if (sent == 0) {
            continue;
        }
        if (random() % 2 == 0) {
            check_tail(s, c);
            continue;
        }
        const auto first = random() % 2 == 0 ? sent - std::min(sent, window) : random() % sent;
        std::ignore = check_range(s, c, first, std::min(sent, first + window), "while it is written"); // or it was killed
    }
}

size_t stream_load::verify(site& s, depth how, damage expected) {
    http_connection c(s.native_port);
    const auto sent = _oracle.sent_count();
    size_t errors = 0;
    std::string why;
    for (auto first = how == depth::all ? 0 : _verified_end - std::min(_verified_end, again); first < sent; first += slice) {
        if (const auto checked = check_range(s, c, first, std::min(sent, first + slice), "after a start"); !checked) {
            ++errors;
            why = checked.error();
        }
    }
    if (errors > 0 && expected == damage::none) {
        s.found.violated("P3", fmt::format("{}: {} ranges could not be read, the last one: {}", _place.name, errors, why));
    }
    if (expected == damage::none) {
        _verified_end = sent;
    }
    return errors;
}

} // namespace torture

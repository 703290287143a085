#include "tests/torture/intruder_load.hh"

#include <thread>

#include <fmt/format.h>

#include "tests/torture/table_client.hh"

namespace torture {
namespace {

// It is there to be refused, not to load the server.
constexpr auto between_attempts = std::chrono::milliseconds(20);

std::string forged(std::string right, std::mt19937_64& random) {
    const auto at = random() % right.size();
    switch (random() % 4) {
    case 0: return "";
    case 1: return right.substr(0, at);
    case 2: return right + "A";
    default: right[at] = right[at] == 'A' ? 'B' : 'A'; return right;
    }
}

} // namespace

void intruder_load::run(site& s, std::mt19937_64& random) {
    table_client client(s.table_port, s.clock);
    while (!s.is_over) {
        const auto reply =
            client.call_forged("/Tables", [&random](std::string right) { return forged(std::move(right), random); });
        if (reply && reply->is_ok()) {
            s.found.violated("P8", fmt::format("a forged signature was believed: {}", reply->body.substr(0, 200)));
        }
        _refused_count += reply && reply->status == 403;
        std::this_thread::sleep_for(between_attempts);
    }
}

} // namespace torture

#include "tests/torture/counter_load.hh"

#include <cstdlib>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tests/torture/table_client.hh"

namespace torture {
namespace {

const std::string path = "/Counters(PartitionKey='shared',RowKey='counter')";

std::string body_of(uint64_t value) {
    return fmt::format(R"({{"PartitionKey":"shared","RowKey":"counter","value":"{}"}})", value);
}

} // namespace

std::optional<counter_load::counted> counter_load::get(table_client& client, int& status) {
    const auto reply = client.call("GET", path);
    status = reply ? reply->status : 0;
    if (status != 200) {
        return std::nullopt;
    }
    constexpr std::string_view name = R"("value":")";
    const auto at = reply->body.find(name);
    return counted{at == std::string::npos ? 0 : std::strtoull(reply->body.c_str() + at + name.size(), nullptr, 10),
                   reply->field("ETag")};
}

bool counter_load::make_counter(table_client& client) {
    if (!_was_made) {
        client.call("POST", "/Tables", R"({"TableName":"Counters"})");
        const auto made = client.call("POST", "/Counters", body_of(0));
        _was_made = made && (made->is_ok() || made->status == 409);
    }
    return _was_made;
}

void counter_load::run(site& s, std::mt19937_64&) {
    table_client client(s.table_port, s.clock);
    if (!make_counter(client)) {
        return;
    }
    std::vector<std::thread> clients;
    for (unsigned i = 0; i < _clients_count; ++i) {
        clients.emplace_back([this, &s] { count_up(s); });
    }
    for (auto& c : clients) {
        c.join();
    }
}

void counter_load::count_up(site& s) {
    table_client client(s.table_port, s.clock);
    while (!s.is_over) {
        uint64_t least = 0;
        {
            const std::lock_guard lock(_mutex);
            least = _given_out.empty() ? 0 : *_given_out.rbegin();
        }
        int status = 0;
        const auto now = get(client, status);
        if (!now) {
            continue;
        }
        if (now->value < least) {
            s.found.violated("P1", fmt::format("the counter went from {} back to {}", least, now->value));
        }
        const auto next = now->value + 1;
        {
            const std::lock_guard lock(_mutex);
            _attempted_max = std::max(_attempted_max, next);
        }
        const auto reply = client.call("PUT", path, body_of(next), {{"If-Match", now->etag}});
        if (!reply || !reply->is_ok()) {
            continue;
        }
        const std::lock_guard lock(_mutex);
        ++_acknowledged_count;
        if (!_given_out.insert(next).second) {
            s.found.violated("P1", fmt::format("two clients were told that they made the counter {}", next));
        }
    }
}

size_t counter_load::verify(site& s, depth, damage expected) {
    if (_given_out.empty()) {
        return 0;
    }
    table_client client(s.table_port, s.clock);
    int status = 0;
    const auto now = get(client, status);
    if (!now) {
        if (expected == damage::none) {
            s.found.violated("P1", fmt::format("the counter cannot be read: {}", status));
        }
        return 1;
    }
    if (now->value < *_given_out.rbegin() || now->value > _attempted_max) {
        s.found.violated("P1", fmt::format("the counter is {}; {} was acknowledged, {} was tried", now->value,
                                           *_given_out.rbegin(), _attempted_max));
    }
    return 0;
}

} // namespace torture

#include "server/scrub_http.hh"

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>

#include "query/core/native/json_text.hh"
#include "server/native_http.hh"

namespace server {
namespace {

using compaction::scrub_record;
using compaction::scrubber;

std::string scrub_json(const scrub_record& found) {
    const auto when = base::to_text(found.begun);
    std::string damage;
    for (const auto& sentence : found.damage) {
        damage += damage.empty() ? "\n" : ",\n";
        query::append_json_string(sentence, damage);
    }
    const auto message = found.damaged_count == 0
                             ? fmt::format("everything verified as of {}", when)
                             : fmt::format("as of {}, {} ranges are damaged; reads of them fail, everything else is served", when,
                                           found.damaged_count);
    const auto seconds = static_cast<double>(found.ended.value - found.begun.value) / base::ticks_per_second;
    return fmt::format(
        R"({{"verified_as_of":"{}","seconds":{:.3f},"files":{},"bytes":{},"damaged":{},"damage":[{}],"message":"{}"}})", when,
        seconds, found.files_count, found.bytes, found.damaged_count, damage, message);
}

std::string state_json(const scrubber& verifier) {
    return fmt::format("{{\"running\":{},\"last\":{}}}\n", verifier.is_running(),
                       verifier.last() ? scrub_json(*verifier.last()) : "null");
}

seastar::future<> run_scrub(scrubber& verifier, http::reply_writer& reply) {
    auto json = co_await seastar::smp::submit_to(0, [&verifier] {
        return verifier.run().then(
            [&verifier](const std::optional<scrub_record>& done) { return done ? state_json(verifier) : std::string(); });
    });
    if (json.empty()) {
        co_return co_await send_json_error(reply, 503, "shutting_down", "the server is stopping");
    }
    co_await reply.send(200, {http::json_type}, std::move(json));
}

seastar::future<> show(scrubber& verifier, http::reply_writer& reply) {
    auto json = co_await seastar::smp::submit_to(0, [&verifier] { return state_json(verifier); });
    co_await reply.send(200, {http::json_type}, std::move(json));
}

} // namespace

void add_scrub_routes(http::router& routes, scrubber& verifier) {
    routes.add_strict("POST", "/v1/scrub", {}, [&verifier](http::request&, http::path_parameters, http::reply_writer& reply) {
        return run_scrub(verifier, reply);
    });
    routes.add_strict("GET", "/v1/scrub", {}, [&verifier](http::request&, http::path_parameters, http::reply_writer& reply) {
        return show(verifier, reply);
    });
}

} // namespace server

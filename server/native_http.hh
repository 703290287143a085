// The native HTTP face as far as it concerns the process: is it alive, is it ready, who is it, what does it count.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "http/handler.hh"

namespace server {

class native_api;

struct process_facts {
    std::string data;     // the directory, as the operator wrote it
    bool is_local = true; // only this machine can ask
    std::string host_name;
    std::chrono::steady_clock::time_point started;
};

// Shared by all shards' listeners; lives on shard 0 and is only asked there.
class readiness {
public:
    // Resolves to nothing when the server is ready, else to a sentence that says why not.
    using probe = std::function<seastar::future<std::string>()>;

    void set(probe p) { _probe = std::move(p); }
    seastar::future<std::string> why_not() const { return _probe(); }

private:
    probe _probe = [] { return seastar::make_ready_future<std::string>("the server is starting"); };
};

// What is none of the process's own routes goes to `data`, the api of the handler's shard. All must outlive the handler.
http::handler native_handler(const process_facts&, const readiness&, const native_api& data);

// {"error":{"code":...,"message":...}}
seastar::future<> send_json_error(http::reply_writer&, unsigned status, std::string_view code, std::string_view message);
seastar::future<> reply_in_json(http::protocol_error, http::reply_writer&);

} // namespace server

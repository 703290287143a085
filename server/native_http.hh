// The native HTTP face as far as it concerns the process: is it alive, is it ready, who is it, what does it count.
#pragma once

#include <chrono>
#include <string>

#include "http/handler.hh"

namespace server {

struct process_facts {
    std::string data; // the directory, as the operator wrote it
    std::chrono::steady_clock::time_point started;
};

// Shared by all shards' listeners; lives on shard 0 and is only read there. Empty: ready. Else why not, a sentence.
class readiness {
public:
    void set(std::string why_not) { _why_not = std::move(why_not); }
    const std::string& why_not() const { return _why_not; }

private:
    std::string _why_not = "the server is starting";
};

// Both must outlive the handler, on every shard.
http::handler native_handler(const process_facts&, const readiness&);

// {"error":{"code":...,"message":...}}
seastar::future<> send_json_error(http::reply_writer&, unsigned status, std::string_view code, std::string_view message);
seastar::future<> reply_in_json(http::protocol_error, http::reply_writer&);

} // namespace server

// The Blob service over HTTP, read side: the container `logs` with the sealed blobs of all sources. One instance on each shard.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "blobs/blob_listing.hh"
#include "http/handler.hh"
#include "service/account.hh"
#include "service/core/account_url.hh"
#include "service/core/blob_sas.hh"
#include "service/core/blob_xml.hh"

namespace service {

struct blob_service_config {
    std::vector<account> accounts; // logs belong to the first
    std::function<base::tick()> now;
};

class blob_service {
public:
    blob_service(blob_service_config, seastar::sharded<blobs::log_store>&);
    seastar::future<> stop() { return seastar::make_ready_future<>(); }

    // As of table_service::set_keys().
    void set_keys(const std::vector<account>&);

    // For http::server; this must outlive the server.
    http::handler handler();
    http::error_handler error_handler();

private:
    // One request, understood.
    struct call;

    seastar::future<> handle(http::request&, http::reply_writer&);
    outcome<void> admit(const call&) const;
    seastar::future<> dispatch(call&);
    seastar::future<> list_containers(call&);
    seastar::future<> container_properties(call&);
    seastar::future<> list(call&);
    seastar::future<> get(call&);
    seastar::future<> send_text(call&, blobs::blob_info, byte_range);
    seastar::future<> send_frames(call&, blobs::blob_info, uint64_t end);

    blob_service_config _config;
    std::vector<std::string> _account_names;
    seastar::sharded<blobs::log_store>& _logs;
};

} // namespace service

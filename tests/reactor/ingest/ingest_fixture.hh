// An intake over an engine on a simulated disk, with ports of its own. For tests, which run in a Seastar thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <seastar/core/sharded.hh>
#include <seastar/core/smp.hh>

#include "ingest/influx_http.hh"
#include "ingest/intake.hh"
#include "ingest/tcp_listener.hh"
#include "tests/lib/running_engine.hh"
#include "tests/reactor/http/server_fixture.hh"

namespace testing_lib {

constexpr int64_t ns_per_hour = 3'600'000'000'000;
constexpr int64_t noon_ns = 1'794'830'400'000'000'000; // 2026-11-16T12:00:00Z

class ingest_test : public ::testing::Test {
protected:
    ingest_test() { start(); }
    ~ingest_test() override { stop_intake(); }

    void start() {
        engine = std::make_unique<running_engine>(
            disk, running_engine::options{.shards_count = seastar::smp::count, .log_file_bytes = 4 << 20});
        ingest::intake_config config;
        config.families.account = "account";
        config.now_ns = [this] { return now_ns.load(); };
        config.shards_count = seastar::smp::count;
        intake.start(config, std::ref((*engine)->container())).get();
        intake.invoke_on_all(&ingest::intake::open).get();
    }
    void stop_intake() {
        intake.stop().get();
        engine.reset();
    }
    // Nobody may be sending.
    void restart() {
        stop_intake();
        start();
    }

    // All rows of the table, as "partition|row|name=value,...".
    std::vector<std::string> rows_of(const std::string& table) {
        const auto* info = (*engine)->catalog().find("account", table);
        if (info == nullptr) {
            return {"no table " + table};
        }
        tables::scan_request request;
        request.table = info->id;
        request.ranges = {tables::key_range::all()};
        std::vector<std::string> rows;
        for (;;) {
            auto page = (*engine)->scan(request).get().value();
            for (const auto& row : page.rows) {
                rows.push_back(to_text(row));
            }
            if (!page.next) {
                return rows;
            }
            request.ranges = {tables::key_range{*page.next, {}}};
        }
    }
    std::vector<std::string> table_names() {
        std::vector<std::string> names;
        for (const auto& info : (*engine)->catalog().list("account", "", 1000)) {
            names.push_back(info.name);
        }
        return names;
    }
    uint64_t rejected(ingest::protocol p, ingest::line_fault fault) {
        return intake
            .map_reduce0([=](ingest::intake& in) { return in.counts(p).rejected[static_cast<size_t>(fault)]; }, uint64_t(0),
                         std::plus())
            .get();
    }

    std::atomic<int64_t> now_ns = noon_ns;
    sim::sim_disk disk;
    std::unique_ptr<running_engine> engine;
    seastar::sharded<ingest::intake> intake;
};

// The same with line protocol over HTTP.
class ingest_http_test : public ingest_test {
protected:
    seastar::future<> answer(http::request& request, http::reply_writer& reply) {
        return ingest::answer_write(intake.local(), request, reply);
    }
    std::string post(std::string_view body, std::string_view target = "/write", std::string_view fields = "") {
        raw_client client(server);
        client.send(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n{}\r\n", target, body.size(), fields));
        client.send(body);
        return client.reply();
    }

    http_fixture server{[this](http::request& request, http::reply_writer& reply) { return answer(request, reply); }};
};

} // namespace testing_lib

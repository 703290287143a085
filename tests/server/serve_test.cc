// What a person sees of the process: start, banner, errors, stop.

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "shard/core/identity_record.hh"
#include "tests/lib/temporary_directory.hh"
#include "tests/server/line_client.hh"
#include "tests/server/server_process.hh"

namespace {

using namespace testing_lib;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The program must say one line and leave with a non-zero status.
void expect_refusal(std::vector<std::string> args, const std::string& sentence) {
    args.insert(args.begin(), "serve");
    auto result = server_process(args).wait();
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr(sentence));
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
}

TEST(serve, answers_on_its_native_port) {
    temporary_directory data;
    running_server server(data.path());
    EXPECT_EQ(server.get("/healthz")->status, 200);
    EXPECT_THAT(server.get("/version")->body, HasSubstr("\"version\":\"" DOWNTICK_VERSION "\""));
    EXPECT_THAT(server.get("/metrics")->body, HasSubstr("downtick_http_requests_total"));
    EXPECT_EQ(server.get("/nothing-here")->status, 404);
    EXPECT_THAT(server.get("/nothing-here")->body, HasSubstr("{\"error\":{\"code\":"));
}

TEST(serve, prints_where_it_listens_and_what_to_type_next) {
    temporary_directory data;
    running_server server(data.path());
    auto banner = server.process.wait_for_output("downtick status");
    EXPECT_THAT(banner, HasSubstr("http://127.0.0.1:" + std::to_string(server.port)));
    EXPECT_THAT(banner, HasSubstr(data.path()));
    EXPECT_THAT(banner, HasSubstr("downtick status"));
}

TEST(serve, status_finds_it) {
    temporary_directory data;
    running_server server(data.path());
    const auto url = "http://127.0.0.1:" + std::to_string(server.port);
    auto by_flag = server_process({"status", "--server", url}).wait();
    EXPECT_EQ(by_flag.status, 0) << by_flag.output;
    EXPECT_THAT(by_flag.output, HasSubstr("ready    yes"));
    EXPECT_EQ(server_process({"status"}, {"DOWNTICK_SERVER=" + url}).wait().status, 0);
}

TEST(serve, a_term_signal_ends_it_cleanly_while_requests_run) {
    temporary_directory data;
    running_server server(data.path());
    std::atomic<bool> is_over = false;
    std::thread client([&] {
        while (!is_over) {
            (void)server.get("/metrics").has_value();
        }
    });
    server.process.signal(SIGTERM);
    auto result = server.process.wait();
    is_over = true;
    client.join();
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_LT(result.took, std::chrono::seconds(2));
}

TEST(serve, an_interrupt_ends_it_too_and_the_directory_is_free_again) {
    temporary_directory data;
    for (int round = 0; round < 2; ++round) {
        running_server server(data.path());
        server.process.signal(SIGINT);
        const auto ended = server.process.wait();
        EXPECT_EQ(ended.status, 0);
        EXPECT_THAT(ended.output, Not(HasSubstr("shutting_down"))) << "an end that was asked for is nothing to warn of";
    }
}

TEST(serve, tells_its_supervisor) {
    temporary_directory data;
    const auto path = data.path() + "/notify";
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ::sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(fd, reinterpret_cast<::sockaddr*>(&address), sizeof address), 0);
    server_process process({"serve", "--data", data.path() + "/data", "--http-port", std::to_string(free_port()), "--table-port",
                            "0", "--line-port", "0", "--json-port", "0", "--graphite-port", "0", "--syslog-port", "0",
                            "--blob-port", "0", "--smp", "1"},
                           {"NOTIFY_SOCKET=" + path});
    ::timeval limit{10, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    char buffer[64] = {};
    EXPECT_GT(::recv(fd, buffer, sizeof buffer - 1, 0), 0);
    EXPECT_STREQ(buffer, "READY=1");
    ::close(fd);
}

TEST(serve, a_hangup_signal_takes_a_new_token_without_a_restart) {
    const temporary_directory data;
    const auto config = data.path() + "/downtick.conf";
    std::ofstream(config) << "token = first\n";
    running_server server(data.path() + "/store", {"--config", config});
    EXPECT_EQ(cli::get({"127.0.0.1", server.port}, "/v1/tables", "first")->status, 200);
    std::ofstream(config) << "token = second\n";
    server.process.signal(SIGHUP);
    server.process.wait_for_output("as it is now");
    EXPECT_EQ(cli::get({"127.0.0.1", server.port}, "/v1/tables", "first")->status, 401);
    EXPECT_EQ(cli::get({"127.0.0.1", server.port}, "/v1/tables", "second")->status, 200);
    std::ofstream(config) << "tokn = third\n";
    server.process.signal(SIGHUP);
    server.process.wait_for_output("stay as they are");
    EXPECT_EQ(cli::get({"127.0.0.1", server.port}, "/v1/tables", "second")->status, 200) << "a mistake changes nothing";
}

// The address stays what it was at the start, whatever the file says of it now.
TEST(serve, a_hangup_signal_does_not_open_what_others_can_reach) {
    const temporary_directory data;
    const auto config = data.path() + "/downtick.conf";
    std::ofstream(config) << "bind = 0.0.0.0\ntoken = first\nallow-development-key = true\n";
    running_server server(data.path() + "/store", {"--config", config});
    std::ofstream(config) << "bind = 127.0.0.1\n";
    server.process.signal(SIGHUP);
    server.process.wait_for_output("keys and token");
    EXPECT_EQ(cli::get({"127.0.0.1", server.port}, "/v1/tables", "")->status, 401);
    EXPECT_EQ(cli::get({"127.0.0.1", server.port}, "/v1/tables", "first")->status, 200);
}

TEST(serve, a_sighup_while_it_starts_does_not_end_it) {
    temporary_directory data;
    const auto port = free_port();
    server_process process({"serve",
                            "--data",
                            data.path() + "/store",
                            "--http-port",
                            std::to_string(port),
                            "--table-port",
                            "0",
                            "--line-port",
                            "0",
                            "--json-port",
                            "0",
                            "--graphite-port",
                            "0",
                            "--syslog-port",
                            "0",
                            "--blob-port",
                            "0",
                            "--smp",
                            "1",
                            "--memory",
                            "256M"});
    while (process.is_running() && !std::filesystem::exists(data.path() + "/store/LOCK")) {
        std::this_thread::yield();
    }
    while (process.is_running() && !process.output().contains("is ready")) {
        process.signal(SIGHUP);
    }
    EXPECT_THAT(process.wait_for_output("as it is now"), HasSubstr("as it is now")) << "and is served behind it";
    EXPECT_EQ(cli::get({"127.0.0.1", port}, "/healthz", "")->status, 200);
}

TEST(serve, a_folder_is_no_configuration_file) {
    temporary_directory data;
    expect_refusal({"--config", data.path()}, "the configuration file cannot be read");
}

TEST(serve, a_port_that_is_taken_is_one_clear_line) {
    temporary_directory data;
    running_server server(data.path() + "/first");
    expect_refusal({"--data", data.path() + "/second", "--http-port", std::to_string(server.port), "--table-port", "0",
                    "--line-port", "0", "--json-port", "0", "--graphite-port", "0", "--syslog-port", "0", "--blob-port", "0",
                    "--smp", "1"},
                   "is taken");
}

TEST(serve, a_port_is_found_taken_before_the_store_is_opened) {
    temporary_directory data;
    running_server server(data.path() + "/first");
    const auto second = data.path() + "/second";
    expect_refusal({"--data", second, "--http-port", std::to_string(free_port()), "--table-port", "0", "--line-port",
                    std::to_string(server.port), "--json-port", "0", "--graphite-port", "0", "--syslog-port", "0", "--blob-port",
                    "0", "--smp", "2"},
                   "choose another port with --line-port");
    EXPECT_FALSE(std::filesystem::exists(second + "/identity"));
}

TEST(serve, a_directory_in_use_is_one_clear_line) {
    temporary_directory data;
    running_server server(data.path());
    expect_refusal({"--data", data.path(), "--http-port", std::to_string(free_port()), "--table-port", "0", "--line-port", "0",
                    "--json-port", "0", "--graphite-port", "0", "--syslog-port", "0", "--blob-port", "0", "--smp", "1"},
                   "in use");
}

TEST(serve, a_directory_that_cannot_be_written_is_one_clear_line) {
    expect_refusal({"--data", "/proc/downtick", "--table-port", "0", "--line-port", "0", "--json-port", "0", "--graphite-port",
                    "0", "--smp", "1"},
                   "/proc/downtick");
}

TEST(serve, an_unknown_key_is_one_clear_line) {
    temporary_directory data;
    std::ofstream(data.path() + "/my.conf") << "dta = /tmp/x\n";
    expect_refusal({"--config", data.path() + "/my.conf"}, "the nearest known one is 'data'");
}

TEST(serve, too_much_memory_is_one_clear_line) {
    expect_refusal({"--memory", "900T"}, "is more than this machine");
    expect_refusal({"--memory", "8M"}, "is not enough");
}

TEST(serve, a_newer_format_is_refused) {
    temporary_directory data;
    {
        running_server server(data.path());
    }
    std::ofstream(data.path() + "/identity", std::ios::binary) << shard::encode({.version = 127, .store = 1});
    expect_refusal({"--data", data.path(), "--http-port", std::to_string(free_port()), "--table-port", "0", "--line-port", "0",
                    "--json-port", "0", "--graphite-port", "0", "--syslog-port", "0", "--blob-port", "0", "--smp", "1"},
                   "use a newer downtick");
}

TEST(inspect, every_file_of_a_data_directory_is_understood) {
    temporary_directory data;
    {
        running_server server(data.path());
        ASSERT_EQ(server.send("POST", "/v1/scrub").status, 200);
        server.process.signal(SIGTERM);
        server.process.wait();
    }
    const auto all = server_process({"inspect", data.path()}).wait();
    EXPECT_EQ(all.status, 0) << all.output;
    for (const auto* name : {"LOCK", "scrub", "identity", "identity.copy", "catalog."}) {
        EXPECT_THAT(all.output, HasSubstr(data.path() + "/" + name));
    }
    std::fstream(data.path() + "/identity", std::ios::in | std::ios::out | std::ios::binary).seekp(20).put('\x55');
    EXPECT_EQ(server_process({"inspect", data.path() + "/identity"}).wait().status, 1);
}

TEST(inspect, only_logs_are_made_ahead) {
    const temporary_directory data;
    std::filesystem::create_directories(data.path() + "/log");
    std::filesystem::create_directories(data.path() + "/segments");
    for (const auto& [path, status] :
         {std::pair("/log/000-000000000001.log", 0), std::pair("/segments/000-000000000001.seg", 1)}) {
        std::ofstream(data.path() + path, std::ios::binary) << std::string(8192, '\0');
        EXPECT_EQ(server_process({"inspect", data.path() + path}).wait().status, status) << path;
    }
    std::ofstream(data.path() + "/segments/000-000000000001.seg", std::ios::trunc);
    EXPECT_EQ(server_process({"inspect", data.path()}).wait().status, 1);
}

TEST(serve, options_are_looked_at_before_the_store_is) {
    const temporary_directory data;
    const auto refused = [&](std::vector<std::string> more, const std::string& sentence) {
        more.insert(more.begin(), {"--data", data.path() + "/none", "--table-port", "0"});
        expect_refusal(more, sentence);
        EXPECT_FALSE(std::filesystem::exists(data.path() + "/none")) << sentence;
    };
    refused({"--syslog-source", "nobody"}, "syslog-source");
    refused({"--account", "foo"}, "NAME:KEY");
    refused({"--tls-cert", "/nope", "--tls-key", "/nope"}, "tls-cert = /nope cannot be read: No such file");
}

TEST(serve, a_web_page_of_another_machine_changes_nothing) {
    const temporary_directory data;
    running_server server(data.path());
    const auto write = [&](const std::string& fields) { return line_client(server.port).post("cpu v=1", fields); };
    EXPECT_EQ(write("Origin: https://example.com\r\n"), 403);
    EXPECT_EQ(write("Origin: null\r\n"), 403);
    EXPECT_EQ(write("Origin: http://localhost:3000\r\n"), 204);
    EXPECT_EQ(write(""), 204);
}

TEST(serve, a_web_page_that_has_its_name_lead_here_reads_nothing) {
    const temporary_directory data;
    running_server server(data.path());
    const auto read = [&](const std::string& host) {
        return line_client(server.port).get("/v1/families", "Host: " + host + "\r\n");
    };
    const auto refused = read("example.com:8470");
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(refused, HasSubstr("http://127.0.0.1"));
    EXPECT_THAT(line_client(server.port).get("/version", "Host: example.com\r\n"), StartsWith("HTTP/1.1 403"));
    EXPECT_THAT(line_client(server.port).get("/readyz", "Host: example.com\r\n"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(read("localhost"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(read("127.0.0.1:8470"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(read(""), StartsWith("HTTP/1.1 200")) << "no browser leaves it away";
}

TEST(serve, a_token_is_asked_for_under_any_name) {
    const temporary_directory data;
    running_server server(data.path(), {"--token", "secret"});
    EXPECT_THAT(line_client(server.port).get("/v1/families", "Host: example.com\r\n"), StartsWith("HTTP/1.1 401"));
    EXPECT_THAT(line_client(server.port).get("/v1/families", "Host: example.com\r\nAuthorization: Bearer secret\r\n"),
                StartsWith("HTTP/1.1 200"));
}

TEST(serve, a_misspelt_parameter_of_a_write_is_named) {
    const temporary_directory data;
    running_server server(data.path());
    const auto refused = server.send("POST", "/write?precison=s", "cpu v=1 1");
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.body, HasSubstr("precison"));
    const auto twice = server.send("POST", "/write?precision=s&precision=ms", "cpu v=1 1");
    EXPECT_EQ(twice.status, 400);
    EXPECT_THAT(twice.body, HasSubstr("precision is there twice"));
    EXPECT_EQ(server.send("POST", "/write?db=d&rp=r&u=a&p=b&consistency=one&precision=s", "cpu v=1").status, 204);
    EXPECT_THAT(server.get("/query?q=SELECT%201")->body, HasSubstr("/v1/range"));
}

TEST(serve, what_cannot_be_understood_has_one_code_on_all_routes) {
    const temporary_directory data;
    running_server server(data.path());
    const std::array<std::array<std::string, 3>, 7> requests{{{"GET", "/v1/tail?from=x&n=0", ""},
                                                              {"GET", "/v1/retention?foo=1", ""},
                                                              {"PUT", "/v1/retention/x", R"({"keep":"5x"})"},
                                                              {"POST", "/v1/retention/run?dry_run=maybe", ""},
                                                              {"POST", "/v1/snapshot", ""},
                                                              {"POST", "/write?precision=seconds", "cpu v=1"},
                                                              {"POST", "/v1/logs/" + std::string(300, 'x'), "line"}}};
    for (const auto& [method, path, body] : requests) {
        const auto reply = server.send(method, path, body);
        EXPECT_EQ(reply.status, 400) << path;
        EXPECT_THAT(reply.body, HasSubstr(R"({"error":{"code":"bad_request")")) << path;
    }
}

TEST(serve, a_parameter_that_nothing_reads_is_refused) {
    const temporary_directory data;
    running_server server(data.path());
    EXPECT_EQ(server.send("POST", "/v1/logs/web?level=error", "text").status, 400);
    EXPECT_EQ(server.get("/v1/disk?x=1")->status, 400);
    EXPECT_EQ(server.get("/v1/scrub?x=1")->status, 400);
    EXPECT_EQ(server.get("/v1/sources?prefix=w")->status, 400);
    EXPECT_THAT(server.get("/v1/blobs?x=1")->body, HasSubstr("prefix, limit, cursor"));
    EXPECT_THAT(server.get("/v1/families?limit=1&limit=2")->body, HasSubstr("limit is there twice"));
}

TEST(serve, errors_are_json_whatever_bytes_they_are_about) {
    const temporary_directory data;
    running_server server(data.path());
    for (const char* path : {"/v1/families/%FF/series", "/v1/families?%FF=1", "/v1/retention/%FF", "/v1/blobs/%FF"}) {
        EXPECT_THAT(server.get(path)->body, HasSubstr("'\xef\xbf\xbd'")) << path;
    }
    EXPECT_THAT(server.send("POST", "/write?%FF=1", "cpu v=1").body, HasSubstr("'\xef\xbf\xbd'"));
    EXPECT_THAT(server.send("POST", "/v1/snapshot?dir=%FF").body, HasSubstr("'\xef\xbf\xbd'"));
    EXPECT_THAT(server.send("DELETE", "/v1/families/%FF?start=-1h").body, HasSubstr("'\xef\xbf\xbd'"));
}

TEST(serve, help_teaches_and_leaves_the_framework_out) {
    auto result = server_process({"serve", "--help"}).wait();
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.output, HasSubstr("--http-port"));
    EXPECT_EQ(result.output.find("task-quota"), std::string::npos);
    auto expert = server_process({"serve", "--help-seastar"}).wait();
    EXPECT_EQ(expert.status, 0);
    EXPECT_THAT(expert.output, HasSubstr("task-quota"));
}

TEST(program, without_a_command_it_lists_them) {
    auto result = server_process({}).wait();
    EXPECT_THAT(result.output, HasSubstr("serve"));
    EXPECT_THAT(result.output, HasSubstr("status"));
    EXPECT_THAT(server_process({"--version"}).wait().output, HasSubstr("downtick " DOWNTICK_VERSION));
    EXPECT_EQ(server_process({"tail", "-h"}).wait().status, 0);
    EXPECT_THAT(server_process({"help", "tail"}).wait().output, HasSubstr("--follow"));
    EXPECT_THAT(server_process({"help", "serve"}).wait().output, HasSubstr("--http-port"));
    EXPECT_EQ(server_process({"help", "sevre"}).wait().status, 2);
    for (const char* alone : {"version", "status", "sources"}) {
        EXPECT_EQ(server_process({alone, "extra"}).wait().status, 2) << alone;
    }
    auto unknown = server_process({"sevre"}).wait();
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.output, HasSubstr("sevre"));
}

} // namespace

// What a person sees of the subcommands, against a real server.

#include <csignal>
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/reactor/http/test_certificate.hh"
#include "tests/server/server_process.hh"

namespace {

using namespace testing_lib;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> alone(const std::string& data, uint16_t port) {
    std::vector<std::string> args{
        "serve", "--data", data, "--http-port", std::to_string(port), "--smp", "1", "--own-metrics-seconds", "0"};
    for (const char* other : {"--table-port", "--blob-port", "--line-port", "--json-port", "--graphite-port", "--syslog-port"}) {
        args.insert(args.end(), {other, "0"});
    }
    return args;
}

class command_line {
public:
    explicit command_line(uint16_t port) : _server(fmt::format("http://127.0.0.1:{}", port)) {}

    finished run(std::vector<std::string> args, const redirection& files = {}) const {
        args.insert(args.end(), {"--server", _server});
        return server_process(args, {}, files).wait(std::chrono::seconds(30));
    }
    // The output of one that must go well.
    std::string good(std::vector<std::string> args) const {
        auto done = run(std::move(args));
        EXPECT_EQ(done.status, 0) << done.output;
        return done.output;
    }

private:
    std::string _server;
};

TEST(cli, speaks_tls_with_whom_it_trusts) {
    const temporary_directory data;
    const auto cert = data.path() + "/cert.pem";
    const auto key = data.path() + "/key.pem";
    std::ofstream(cert) << test_certificate;
    std::ofstream(key) << test_key;
    const auto port = free_port();
    auto args = alone(data.path() + "/store", port);
    args.insert(args.end(), {"--tls-cert", cert, "--tls-key", key, "--bind", "0.0.0.0", "--token", "s3cret"});
    server_process server(args);
    const auto banner = server.wait_for_output("downtick status");
    EXPECT_THAT(banner,
                AllOf(HasSubstr(fmt::format("https://127.0.0.1:{}", port)), HasSubstr("--token"), Not(HasSubstr("0.0.0.0:"))));
    const auto status = [&](const std::string& url, std::vector<std::string> more) {
        more.insert(more.begin(), {"status", "--server", url});
        return server_process(more).wait();
    };
    const auto url = fmt::format("https://localhost:{}", port);
    const auto trusted = status(url, {"--ca", cert});
    EXPECT_EQ(trusted.status, 0) << trusted.output;
    EXPECT_THAT(trusted.output, HasSubstr("data     ?")) << "without the token, others than this machine could ask";
    EXPECT_THAT(status(url, {"--ca", cert, "--token", "s3cret"}).output, HasSubstr("data     " + data.path()));
    EXPECT_EQ(status(fmt::format("https://127.0.0.1:{}", port), {"--ca", cert}).status, 0)
        << "the certificate names the address too";
    EXPECT_EQ(status(url, {"--insecure"}).status, 0);
    EXPECT_THAT(status(url, {}).output, AllOf(HasSubstr("not trusted"), HasSubstr("--ca")));
    EXPECT_THAT(status(fmt::format("https://127.0.0.2:{}", port), {"--ca", cert}).output, HasSubstr("not trusted"));
    EXPECT_EQ(status(fmt::format("http://localhost:{}", port), {}).status, 1);
    EXPECT_EQ(server_process({"write", "cpu v=1", "--server", url, "--ca", cert, "--token", "s3cret"}).wait().status, 0);
}

TEST(cli, an_ipv6_address_stands_in_brackets) {
    const temporary_directory data;
    const auto port = free_port();
    auto args = alone(data.path(), port);
    args.insert(args.end(), {"--bind", "::1"});
    server_process server(args);
    const auto banner = server.wait_for_output("downtick status");
    if (banner.contains("cannot listen")) {
        GTEST_SKIP() << "no IPv6 here";
    }
    const auto url = fmt::format("http://[::1]:{}", port);
    EXPECT_THAT(banner, HasSubstr(url));
    EXPECT_EQ(server_process({"status", "--server", url}).wait().status, 0);
}

TEST(cli, a_policy_is_changed_where_it_is_told_to_be) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    cli.good({"retention", "set", "cpu", "--keep", "7d", "--period", "1h"});
    EXPECT_THAT(cli.good({"retention", "set", "cpu", "--max-bytes", "1G"}),
                HasSubstr(R"("period":"1h","keep":"7d","max_bytes":1073741824)"));
    EXPECT_THAT(cli.good({"retention", "set", "cpu", "--keep", "none"}),
                HasSubstr(R"("period":"1h","keep":null,"max_bytes":1073741824)"));
    EXPECT_EQ(cli.run({"retention", "set", "cpu", "--max-bytes", "much"}).status, 1);
    EXPECT_THAT(cli.run({"retention", "set", "cpu", "--keep", "5x"}).output, AllOf(HasSubstr("30d"), Not(HasSubstr("{"))));
    cli.good({"retention", "unset", "cpu"});
    EXPECT_THAT(cli.run({"retention", "unset", "cpu"}).output, HasSubstr("there is no policy for 'cpu'"));
}

TEST(cli, a_token_that_is_missing_or_wrong_is_told_by_the_name_of_its_option) {
    const temporary_directory data;
    running_server server(data.path(), {"--token", "s3cret"});
    const command_line cli(server.port);
    for (const auto& asked : {std::vector<std::string>{"tail", "cpu"}, {"write", "cpu v=1"}, {"table", "ls"}, {"scrub"}}) {
        EXPECT_THAT(cli.run(asked).output, AllOf(HasSubstr("--token SECRET"), Not(HasSubstr("Bearer")))) << asked[0];
    }
    EXPECT_THAT(cli.run({"tail", "cpu", "--token", "other"}).output, HasSubstr("has another token"));
}

TEST(cli, an_answer_without_rows_says_so) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    cli.good({"write", "cpu v=1"});
    EXPECT_EQ(cli.good({"range", "cpu", "--where", "v gt 5"}), "no rows\n");
    EXPECT_EQ(cli.good({"range", "cpu", "--where", "v gt 5", "--format", "ndjson"}), "");
}

TEST(cli, a_policy_of_a_name_that_is_no_text_is_refused) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    EXPECT_EQ(server.send("PUT", "/v1/retention/caf%E9", R"({"keep":"1d"})").status, 400);
    EXPECT_EQ(server.send("PUT", "/v1/retention/" + std::string(256, 'x'), R"({"keep":"1d"})").status, 400);
    EXPECT_EQ(server.send("PUT", "/v1/retention/caf%C3%A9", R"({"keep":"1d"})").status, 200);
    EXPECT_THAT(cli.good({"retention", "ls"}), HasSubstr("caf\u00e9"));
    cli.good({"families"});
    EXPECT_THAT(server.get("/v1/retention?limit=1")->body, HasSubstr(R"("cursor":"caf%C3%A9"})"));
    EXPECT_THAT(server.get("/v1/retention?cursor=caf%25C3%25A9")->body, Not(HasSubstr("caf")));
}

TEST(cli, a_status_of_what_does_not_answer_does_not_wait_long) {
    const temporary_directory data;
    const auto lines = free_port();
    running_server server(data.path(), {"--line-port", std::to_string(lines)});
    const auto done = server_process({"status", "--server", fmt::format("http://127.0.0.1:{}", lines)}).wait();
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.output, HasSubstr("is that the port of its native HTTP?"));
}

TEST(cli, a_retention_run_sums_up) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    cli.good({"write", "cpu v=1 1700000000", "--precision", "s"});
    cli.good({"retention", "set", "cpu", "--keep", "1d"});
    EXPECT_THAT(cli.good({"retention", "run", "--dry-run"}), AllOf(HasSubstr("cpu20231114"), HasSubstr("1 would be dropped: ")));
    EXPECT_THAT(cli.good({"retention", "run"}), HasSubstr("1 dropped: "));
    EXPECT_THAT(cli.good({"retention", "run"}), HasSubstr("nothing is due"));
}

TEST(cli, families_show_the_period_that_comes) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    cli.good({"write", "cpu v=1"});
    cli.good({"retention", "set", "cpu", "--period", "7d"});
    EXPECT_THAT(cli.good({"families"}), HasSubstr("1d (next 7d)"));
}

TEST(cli, a_table_that_is_there_is_not_made_again) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    cli.good({"table", "create", "Cities"});
    EXPECT_THAT(cli.run({"table", "create", "Cities"}).output, HasSubstr("table Cities is there already"));
}

TEST(cli, an_open_blob_is_called_open) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    ASSERT_EQ(server.send("POST", "/v1/logs/web", "one line\n").status, 204);
    const auto list = cli.good({"blob", "ls", "web/"});
    std::smatch name;
    ASSERT_TRUE(std::regex_search(list, name, std::regex("web/[^ ]+"))) << list;
    EXPECT_THAT(cli.run({"blob", "cat", name.str()}).output,
                AllOf(HasSubstr("still open"), HasSubstr("downtick tail source:web")));
    EXPECT_THAT(cli.run({"blob", "cat", "web/none"}).output, HasSubstr("there is no blob"));
}

TEST(cli, a_live_tail_says_that_the_server_has_gone) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    cli.good({"write", "cpu v=1"});
    server_process follower({"tail", "cpu", "--follow", "--server", fmt::format("http://127.0.0.1:{}", server.port)});
    follower.wait_for_output("v=1");
    server.process.signal(SIGTERM);
    server.process.wait();
    const auto end = follower.wait();
    EXPECT_EQ(end.output.find("is that port"), std::string::npos) << end.output;
}

TEST(cli, bench_loads_a_server_and_says_how_to_drop_what_it_wrote) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    const auto told = cli.good({"bench", "--seconds", "1", "--connections", "2"});
    EXPECT_THAT(told, AllOf(HasSubstr("lines/s"), HasSubstr("p99"), HasSubstr("questions/s")));
    EXPECT_EQ(cli.run({"bench", "--seconds", "1"}).status, 2) << "there is a family of that name now";
    std::smatch name;
    ASSERT_TRUE(std::regex_search(told, name, std::regex("table drop (bench[0-9]+)"))) << told;
    cli.good({"table", "drop", name[1].str()});
    EXPECT_EQ(cli.good({"families"}).find("bench"), std::string::npos);
}

TEST(cli, output_that_cannot_be_written_is_a_failure) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    cli.good({"write", "cpu v=1"});
    const std::vector<std::vector<std::string>> commands{
        {"families"}, {"tail", "cpu"},     {"tail", "cpu", "--format", "csv"}, {"tail", "cpu", "--follow"}, {"table", "ls"},
        {"status"},   {"write", "cpu v=2"}};
    for (const auto& command : commands) {
        const auto done = cli.run(command, {.output = "/dev/full"});
        EXPECT_EQ(done.status, 1) << command[0];
        EXPECT_THAT(done.output, HasSubstr("could not be written")) << command[0];
    }
    EXPECT_EQ(server_process({"completion", "bash"}, {}, {.output = "/dev/full"}).wait().status, 1);
}

TEST(cli, bad_lines_of_a_pipe_are_named_and_the_others_written) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    const auto file = data.path() + "/lines";
    std::ofstream out(file);
    constexpr int lines_count = 60'000; // more than one request
    for (int i = 1; i <= lines_count; ++i) {
        out << (i == 7 || i == 59'999 ? std::string("this is no line\n")
                                      : fmt::format("cpu,host=h{} v={}i {}\n", i % 10, i, 1'700'000'000 + i));
    }
    out.close();
    const auto done = cli.run({"write", "--precision", "s"}, {.input = file});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.output, AllOf(HasSubstr("line 7: "), HasSubstr("line 59999: "), HasSubstr("59998 lines written"),
                                   HasSubstr("2 lines not taken")));
    EXPECT_THAT(cli.good({"tail", "cpu", "-n", "1"}), HasSubstr("60000")) << "the last line of all";
    const auto one_word = cli.run({"write", "bad\n# a comment\n\nbad\nbad\ncpu v=1"});
    EXPECT_THAT(one_word.output, AllOf(HasSubstr("line 5: "), HasSubstr("1 line written"), HasSubstr("3 lines not taken")));
}

TEST(cli, a_pipe_is_not_cut_inside_a_quoted_string) {
    const temporary_directory data;
    running_server server(data.path());
    const command_line cli(server.port);
    const auto file = data.path() + "/lines";
    std::ofstream out(file);
    constexpr int points_count = 40'000; // several requests, in each of which some line feed is the last
    for (int i = 0; i < points_count; ++i) {
        out << fmt::format("note,t=\"{} text=\"a\nb=1 \\\"c\\\"\nd\nlast\" {}\n", i % 10, 1'700'000'000 + i);
    }
    out.close();
    const auto done = cli.run({"write", "--precision", "s"}, {.input = file});
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_THAT(done.output, HasSubstr("40000 lines written"));
    EXPECT_THAT(cli.good({"range", "note", "--agg", "count(text)"}), HasSubstr("40000"));
}

TEST(cli, a_store_that_was_never_verified_says_so) {
    const temporary_directory data;
    running_server server(data.path());
    EXPECT_THAT(command_line(server.port).good({"scrub", "--last"}), HasSubstr("nothing has been verified yet"));
}

TEST(cli, completion_knows_all_commands_in_every_shell) {
    for (const auto& [shell, serve] :
         {std::pair("bash", "\"serve tail"), std::pair("zsh", "\"serve tail"), std::pair("fish", " -a serve ")}) {
        EXPECT_THAT(server_process({"completion", shell}).wait().output, HasSubstr(serve)) << shell;
    }
}

TEST(cli, completion_offers_each_command_its_own_options) {
    const auto script = server_process({"completion", "bash"}).wait().output;
    EXPECT_THAT(script, HasSubstr(R"(downtick "${COMP_WORDS[1]}" --help)"));
    const auto help = server_process({"tail", "--help"}).wait().output;
    EXPECT_THAT(help, AllOf(HasSubstr("\n  -n [ --rows ]"), HasSubstr("\n  --where"))) << "what the script looks for";
}

} // namespace

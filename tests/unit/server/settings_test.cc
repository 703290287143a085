#include "server/core/settings.hh"

#include "server/core/settings_check.hh"
#include "tests/lib/source_folder.hh"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace {

base::expected<std::string> test_file(const std::string& path) {
    if (path == "good.conf") {
        return "# comment\nhttp-port = 9000\nmemory = 512M\ndata = /var/lib/downtick\n";
    }
    if (path == "lists.conf") {
        return "spread = cpu:8\nspread = net:4\naccount = a:b2xk\naccount = c:a2V5\n";
    }
    if (path == "bad.conf") {
        return "htp-port = 9000\n";
    }
    return base::fail(base::errc::io_error, path + ": no such file");
}

auto parse(std::vector<std::string> args) {
    return server::parse_command_line(args, test_file);
}

std::string mistake(std::vector<std::string> args) {
    auto result = parse(std::move(args));
    return result ? "" : result.error().detail;
}

TEST(settings, no_flag_gives_the_defaults) {
    auto result = parse({});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->options, server::settings{});
}

TEST(settings, a_high_water_mark_is_a_part_of_the_disk) {
    const auto result = parse({"--disk-high-water", "85%", "--disk-drop-oldest"});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->options.disk_high_water_percent, 85u);
    EXPECT_TRUE(result->options.disk_drop_oldest);
    EXPECT_EQ(parse({"--disk-high-water", "85"})->options.disk_high_water_percent, 85u);
    for (const char* bad : {"0%", "101%", "x", "%", "8.5%", "-1"}) {
        EXPECT_NE(mistake({"--disk-high-water", bad}).find("disk-high-water"), std::string::npos) << bad;
    }
}

TEST(settings, flags_win_over_the_file) {
    auto result = parse({"--config", "good.conf", "--http-port=9001"});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->options.http_port, 9001);
    EXPECT_EQ(result->options.memory_bytes, 512u << 20);
    EXPECT_EQ(result->options.data, "/var/lib/downtick");
}

TEST(settings, an_unknown_key_names_the_nearest_known_one) {
    EXPECT_EQ(mistake({"--config", "bad.conf"}), "bad.conf: unknown option 'htp-port'; the nearest known one is 'http-port'");
    EXPECT_EQ(mistake({"--htttp-port=1"}), "command line: unknown option 'htttp-port'; the nearest known one is 'http-port'");
}

TEST(settings, an_unknown_key_that_is_like_none_is_not_taken_for_another) {
    EXPECT_EQ(mistake({"--foo=1"}), "command line: unknown option 'foo'; `downtick serve --help` lists those there are");
}

TEST(settings, mistakes_are_sentences) {
    EXPECT_EQ(mistake({"--config", "gone.conf"}), "gone.conf: no such file");
    EXPECT_NE(mistake({"--http-port=abc"}), "");
    EXPECT_NE(mistake({"--http-port=70000"}), "");
    EXPECT_NE(mistake({"--memory=lots"}), "");
    EXPECT_NE(mistake({"--log-level=loud"}), "");
    EXPECT_NE(mistake({"--tls-cert=a.pem"}), "");
    EXPECT_EQ(mistake({"stray"}), "command line: every word is an option or its value; `downtick serve --help` lists them");
}

TEST(settings, numbers_are_within_their_bounds) {
    EXPECT_EQ(mistake({"--http-port=-1"}), "command line: http-port = -1 is not a number from 0 to 65535");
    EXPECT_NE(mistake({"--smp=0"}).find("smp = 0 is not a number from 1"), std::string::npos);
    EXPECT_NE(mistake({"--scrub-days=-1"}), "");
    EXPECT_NE(mistake({"--own-metrics-seconds=1x"}), "");
    EXPECT_EQ(parse({"--smp=2", "--scrub-days=0"})->options.smp, 2u);
}

TEST(settings, an_address_is_one_before_anything_else_is_said_about_it) {
    EXPECT_NE(mistake({"--bind=1.2.3.4.5"}).find("bind = 1.2.3.4.5 is not an address"), std::string::npos);
    EXPECT_NE(mistake({"--bind=127.example.com"}).find("not an address"), std::string::npos);
    EXPECT_EQ(mistake({"--bind=::1"}), "");
}

TEST(settings, accounts_are_looked_at_whether_or_not_a_port_needs_them) {
    EXPECT_NE(mistake({"--table-port=0", "--blob-port=0", "--account=foo"}), "");
    EXPECT_NE(mistake({"--table-port=0", "--blob-port=0", "--account=foo:notb64!"}), "");
}

TEST(settings, what_listens_everywhere_is_found_on_loopback) {
    EXPECT_EQ(server::authority_of("0.0.0.0", 80), "127.0.0.1:80");
    EXPECT_EQ(server::authority_of("::", 80), "[::1]:80");
    EXPECT_EQ(server::authority_of("fe80::1", 80), "[fe80::1]:80");
    EXPECT_EQ(server::authority_of("10.0.0.1", 80), "10.0.0.1:80");
}

TEST(settings, an_empty_token_is_a_mistake) {
    EXPECT_NE(mistake({"--token="}), "");
}

TEST(settings, beyond_loopback_a_token_is_needed) {
    EXPECT_NE(mistake({"--bind=0.0.0.0"}), "");
    EXPECT_EQ(mistake({"--bind=0.0.0.0", "--token=s3cret", "--account=a:a2V5", "--allow-plain"}), "");
    EXPECT_EQ(mistake({"--bind=0.0.0.0", "--token=s3cret", "--allow-development-key", "--allow-plain"}), "");
    EXPECT_NE(mistake({"--bind=0.0.0.0", "--token=s3cret"}), "") << "the development key is public";
    EXPECT_EQ(mistake({"--bind=0.0.0.0", "--token=s3cret", "--table-port=0", "--blob-port=0", "--allow-plain"}), "")
        << "nobody uses that key";
    EXPECT_EQ(mistake({"--bind=127.0.0.2"}), "");
}

TEST(settings, beyond_loopback_lines_need_tls_or_a_word) {
    const std::vector<std::string> reachable{"--bind=0.0.0.0", "--token=s3cret", "--account=a:a2V5"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), reachable.begin(), reachable.end());
        return mistake(more);
    };
    EXPECT_NE(with({}), "");
    EXPECT_EQ(with({"--allow-plain"}), "");
    EXPECT_EQ(with({"--tls-cert=c", "--tls-key=k"}), "");
    EXPECT_EQ(with({"--line-port=0", "--json-port=0", "--graphite-port=0", "--syslog-port=0"}), "");
    EXPECT_NE(with({"--line-port=0", "--json-port=0"}), "");
}

TEST(settings, spreads_are_of_families) {
    EXPECT_EQ(parse({"--spread=cpu:2", "--spread=a:b:256"})->options.spreads,
              (std::map<std::string, unsigned>{{"cpu", 2}, {"a:b", 256}}));
    for (auto wrong : {"--spread=cpu", "--spread=cpu:", "--spread=cpu:0", "--spread=cpu:257", "--spread=:2", "--spread=cpu:x",
                       "--spread=cpu:4x", "--spread=cpu:-1"}) {
        EXPECT_NE(mistake({wrong}), "") << wrong;
    }
}

TEST(settings, accounts_replace_the_development_account) {
    EXPECT_EQ(parse({"--account=a:a2V5", "--account=b:a2V5"})->options.accounts, (std::vector<std::string>{"a:a2V5", "b:a2V5"}));
}

TEST(settings, what_may_be_repeated_comes_from_both_and_flags_come_first) {
    const auto result = parse({"--config", "lists.conf", "--spread=cpu:2", "--account=a:a2V5"});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->options.spreads, (std::map<std::string, unsigned>{{"cpu", 2}, {"net", 4}}));
    EXPECT_EQ(result->options.accounts, (std::vector<std::string>{"a:a2V5", "a:b2xk", "c:a2V5"}));
}

// configs/downtick.conf documents every key with its default: reading it must change nothing.
TEST(settings, the_sample_file_holds_the_defaults) {
    auto read = [](const std::string& path) -> base::expected<std::string> {
        std::ifstream in(path);
        std::stringstream content;
        content << in.rdbuf();
        return content.str();
    };
    auto result = server::parse_command_line({"--config", testing_lib::source_folder() + "/configs/downtick.conf"}, read);
    ASSERT_TRUE(result) << result.error().detail;
    EXPECT_EQ(result->options, server::settings{});
}

TEST(settings, help_is_short_and_grouped) {
    auto text = server::help_text();
    EXPECT_LT(std::ranges::count(text, '\n'), 60); // two pages of a small terminal
    EXPECT_NE(text.find("--help-seastar"), std::string::npos);
}

TEST(settings, what_a_reload_brings_is_checked_where_the_server_listens) {
    server::settings running;
    running.bind = "0.0.0.0";
    running.token = "first";
    running.allow_plain = true;
    running.accounts = {"acc:a2V5"};
    auto now = running;
    now.token = "second";
    EXPECT_TRUE(server::check_reload(running, now));
    now.bind = "127.0.0.1";
    EXPECT_TRUE(server::check_reload(running, now));
    now.token.clear();
    EXPECT_FALSE(server::check_reload(running, now)) << "all others could read and write";
    now.token = "third";
    now.accounts = {server::development_account};
    EXPECT_FALSE(server::check_reload(running, now)) << "its key is public";
}

} // namespace

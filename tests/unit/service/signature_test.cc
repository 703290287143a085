#include "service/core/signature.hh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "service/core/base64.hh"

namespace {

using namespace service;

constexpr std::string_view emulator_key =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const std::string key = *decode_base64(emulator_key);
const std::string other_key = "another key of sixty-four bytes, or however many it may have....";
const std::vector<std::string> keys{other_key, key};
const account_secrets account{"devstoreaccount1", keys};
const base::tick sent = *base::parse_time("2026-11-16T00:59:49Z");
constexpr std::string_view sent_text = "Mon, 16 Nov 2026 00:59:49 GMT";

outcome<void> check(std::string_view header, const signed_request& request, const account_secrets& who = account,
                    const clock_rule& clock = {.now = sent}) {
    return parse_authorization(header).and_then([&](const authorization& a) { return authenticate(a, request, who, clock); });
}

std::string header_for(key_scheme scheme, const signed_request& request) {
    return (scheme == key_scheme::shared_key ? "SharedKey devstoreaccount1:" : "SharedKeyLite devstoreaccount1:") +
           sign(key, string_to_sign(scheme, request, "devstoreaccount1"));
}

signed_request post_tables() {
    return {.method = "POST", .content_type = "application/json", .x_ms_date = sent_text, .raw_path = "/devstoreaccount1/Tables"};
}

// T115: vectors 1, 2, 3 and 9
TEST(signature, the_vectors_of_shared_key_and_lite) {
    const signed_request lite{
        .method = "GET", .x_ms_date = sent_text, .raw_path = "/devstoreaccount1/People(PartitionKey='a''b',RowKey='r%201')"};
    const signed_request acl{.method = "GET", .x_ms_date = sent_text, .raw_path = "/devstoreaccount1/People", .comp = "acl"};
    const signed_request host_style{.method = "GET", .x_ms_date = sent_text, .raw_path = "/People()"};
    const struct {
        key_scheme scheme;
        signed_request request;
        std::string_view account, text, signature;
    } cases[] = {
        {key_scheme::shared_key, post_tables(), "devstoreaccount1",
         "POST\n\napplication/json\nMon, 16 Nov 2026 00:59:49 GMT\n/devstoreaccount1/devstoreaccount1/Tables",
         "I5oAaC25/zFZ/q6OsEtDkkToJehOiujghHwOqMduLEw="},
        {key_scheme::shared_key_lite, lite, "devstoreaccount1",
         "Mon, 16 Nov 2026 00:59:49 GMT\n/devstoreaccount1/devstoreaccount1/People(PartitionKey='a''b',RowKey='r%201')",
         "IBxDmxlLLKKhgqkOC55Pd9v//o8mxME2Yre6YsNEHSk="},
        {key_scheme::shared_key, acl, "devstoreaccount1",
         "GET\n\n\nMon, 16 Nov 2026 00:59:49 GMT\n/devstoreaccount1/devstoreaccount1/People?comp=acl",
         "StqO8XW+kbRjnhqxzXEJHnEoy24FhG7BP3Nv/MgRUbo="},
        {key_scheme::shared_key_lite, host_style, "acct1", "Mon, 16 Nov 2026 00:59:49 GMT\n/acct1/People()",
         "phObI/G6tGNoWR5s1N5irOWqAO1uipXUocE77OKHRU8="},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(string_to_sign(c.scheme, c.request, c.account), c.text);
        EXPECT_EQ(sign(key, c.text), c.signature);
        const std::string scheme = c.scheme == key_scheme::shared_key ? "SharedKey " : "SharedKeyLite ";
        const auto header = scheme + std::string(c.account) + ":" + std::string(c.signature);
        EXPECT_TRUE(check(header, c.request, {c.account, keys})) << c.text;
    }
}

TEST(signature, raw_paths_are_signed_as_they_are) {
    for (std::string raw : {"a%25b", "a%2Bb%26c%3Dd", "%C3%A9%F0%9F%98%80", "%3C%22%7C%3E", "(x%2Cy)", "a''b''''c", "~!*.-_",
                            "a%3Ab%3Bc%40d%24e", "%7B%5B%5E%60%5D%7D", "%20lead", "a%252Fb"}) {
        const auto path = "/devstoreaccount1/T(PartitionKey='" + raw + "',RowKey='')";
        const signed_request request{.method = "GET", .x_ms_date = sent_text, .raw_path = path};
        EXPECT_EQ(string_to_sign(key_scheme::shared_key_lite, request, "devstoreaccount1"),
                  std::string(sent_text) + "\n/devstoreaccount1" + path);
    }
    const signed_request root{.method = "GET", .x_ms_date = sent_text, .raw_path = "", .comp = "properties"};
    EXPECT_EQ(string_to_sign(key_scheme::shared_key_lite, root, "acct"), std::string(sent_text) + "\n/acct/?comp=properties");
}

// T116
TEST(signature, x_ms_date_wins_over_date) {
    auto request = post_tables();
    request.date = "Mon, 16 Nov 2020 00:59:49 GMT";
    EXPECT_TRUE(check(header_for(key_scheme::shared_key, post_tables()), request));
    auto plain = post_tables();
    plain.date = plain.x_ms_date;
    plain.x_ms_date.reset();
    EXPECT_TRUE(check(header_for(key_scheme::shared_key, plain), plain));
}

// T117
TEST(signature, dates_may_be_15_minutes_off_and_either_key_signs) {
    const auto request = post_tables();
    const auto header = header_for(key_scheme::shared_key, request);
    const int64_t minute = 60 * base::ticks_per_second;
    for (int64_t off : {int64_t{0}, 15 * minute, -15 * minute}) {
        EXPECT_TRUE(check(header, request, account, {.now = base::tick{sent.value + off}}));
    }
    for (int64_t off : {15 * minute + 1, -15 * minute - 1, 16 * minute}) {
        const clock_rule clock{.now = base::tick{sent.value + off}};
        EXPECT_EQ(check(header, request, account, clock).error().code, service_code::authentication_failed);
        EXPECT_TRUE(check(header, request, account, {.now = clock.now, .skew_ticks_max = std::nullopt}));
    }
    const auto by_other =
        "SharedKey devstoreaccount1:" + sign(other_key, string_to_sign(key_scheme::shared_key, request, "devstoreaccount1"));
    EXPECT_TRUE(check(by_other, request));
    const std::vector<std::string> first_only{other_key};
    EXPECT_FALSE(check(header, request, {"devstoreaccount1", first_only}));
}

TEST(signature, a_request_without_a_readable_date_fails) {
    for (auto date : {std::optional<std::string_view>(), {""}, {"2026-11-16T00:59:49Z"}, {"Mon, 16 Nov 2026 00:59:49"}}) {
        auto request = post_tables();
        request.x_ms_date = date;
        EXPECT_EQ(
            check(header_for(key_scheme::shared_key, request), request, account, {.now = sent, .skew_ticks_max = std::nullopt})
                .error()
                .code,
            service_code::authentication_failed);
    }
}

TEST(signature, the_secondary_may_be_signed_with_either_path) {
    signed_request request{.method = "GET", .x_ms_date = sent_text, .raw_path = "/devstoreaccount1-secondary/T()"};
    signed_request primary = request;
    primary.raw_path = "/devstoreaccount1/T()";
    EXPECT_TRUE(check(header_for(key_scheme::shared_key, request), request));
    EXPECT_TRUE(check(header_for(key_scheme::shared_key, primary), request));
    // But not the other way round, and not for a table that is called so.
    EXPECT_FALSE(check(header_for(key_scheme::shared_key, request), primary));
    signed_request table{.method = "GET", .x_ms_date = sent_text, .raw_path = "/devstoreaccount1-secondaryx/T()"};
    EXPECT_FALSE(check(header_for(key_scheme::shared_key, primary), table));
}

TEST(signature, headers_that_are_not_ours) {
    for (auto header : {"", "SharedKey", "SharedKey ", "SharedKey a", "SharedKey :sig", "SharedKey a:", "SharedKeyLite a"}) {
        EXPECT_EQ(parse_authorization(header).error().code, service_code::invalid_authentication_info) << header;
    }
    for (auto header : {"Bearer abc", "Basic YTpi", "sharedkey a:b", "SharedKeyX a:b"}) {
        EXPECT_EQ(parse_authorization(header).error().code, service_code::authentication_failed) << header;
    }
}

TEST(signature, http_dates_have_one_form) {
    EXPECT_EQ(parse_http_date(sent_text), sent);
    EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), base::unix_epoch);
    EXPECT_EQ(parse_http_date("Sat, 29 Feb 2020 23:59:59 GMT"), base::parse_time("2020-02-29T23:59:59Z"));
    EXPECT_EQ(parse_http_date("Sat, 19 Dec 2020 23:59:59 GMT"), base::parse_time("2020-12-19T23:59:59Z"));
    for (auto text : {"", "Mon, 16 Nov 2026 00:59:49 UTC", "Mon, 6 Nov 2026 00:59:49 GMT", "Mon, 16 nov 2026 00:59:49 GMT",
                      "Mon, 16 anF 2026 00:59:49 GMT", "Mon, 31 Nov 2026 00:59:49 GMT", "Mon, 16 Nov 2026 24:59:49 GMT",
                      "Mon, 16-Nov-2026 00:59:49 GMT", " Mon, 16 Nov 2026 00:59:49 GM"}) {
        EXPECT_FALSE(parse_http_date(text)) << text;
    }
}

// T118: whatever is changed in request or signature, nothing passes
TEST(signature, no_mutation_is_accepted) {
    const auto seed = std::random_device{}();
    std::mt19937 random(seed);
    const auto request = post_tables();
    for (auto scheme : {key_scheme::shared_key, key_scheme::shared_key_lite}) {
        const auto header = header_for(scheme, request);
        ASSERT_TRUE(check(header, request));
        const size_t begin = header.find(':') + 1;
        for (size_t at = begin; at < header.size(); ++at) {
            auto forged = header;
            do {
                forged[at] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="[random() % 65];
            } while (forged == header);
            EXPECT_FALSE(check(forged, request)) << forged << " seed " << seed;
            EXPECT_FALSE(check(header.substr(0, at), request));
        }
        EXPECT_FALSE(check(header + "=", request));
        EXPECT_FALSE(check(header + " ", request));
        std::vector<signed_request> forgeries(4, request);
        forgeries[0].x_ms_date = "Mon, 16 Nov 2026 00:59:50 GMT";
        forgeries[1].raw_path = "/devstoreaccount1/tables";
        forgeries[2].comp = "acl";
        forgeries[3].raw_path = "/devstoreaccount1/Tables/";
        if (scheme == key_scheme::shared_key) {
            forgeries.resize(7, request);
            forgeries[4].method = "GET";
            forgeries[5].content_type = "";
            forgeries[6].content_md5 = "x";
        }
        for (const auto& forged : forgeries) {
            EXPECT_FALSE(check(header, forged));
        }
    }
    // One scheme's signature is not the other's.
    auto swapped = header_for(key_scheme::shared_key, request);
    swapped.replace(0, 9, "SharedKeyLite");
    EXPECT_FALSE(check(swapped, request));
}

TEST(signature, an_empty_key_signs_nothing) {
    const std::vector<std::string> empty{"", ""};
    EXPECT_FALSE(is_signed(sign("", "text"), "text", empty));
    EXPECT_FALSE(is_signed("", "text", keys));
    EXPECT_FALSE(is_signed(sign(key, "text"), "text", {}));
}

} // namespace

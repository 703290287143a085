#include "service/core/blob_signature.hh"

#include <gtest/gtest.h>

#include <vector>

#include "service/core/blob_condition.hh"
#include "service/core/blob_sas.hh"
#include "service/core/blob_xml.hh"

namespace {

using namespace service;

const std::vector<std::string> keys{"a key", "another key"};
const account_secrets who{"acct", keys};
const base::tick now = *base::parse_time("2026-11-16T00:59:49Z");
constexpr std::string_view date = "Mon, 16 Nov 2026 00:59:49 GMT";

http::query_string query_of(std::string_view raw) {
    return *http::query_string::parse(raw);
}

struct sent {
    std::vector<http::header_field> headers{{"x-ms-version", "2025-11-05"}, {"X-MS-Date", date}};
    http::request_head head(std::string_view path) const {
        return {.method = "GET", .target = path, .path = path, .headers = headers};
    }
};

TEST(blob_signature, headers_and_parameters_are_sorted_and_in_lower_case) {
    sent s;
    s.headers.push_back({"Range", "bytes=0-3"});
    s.headers.push_back({"Content-Length", "0"});
    EXPECT_EQ(blob_string_to_sign(s.head("/acct/logs"), query_of("restype=container&Comp=list&include=b&include=a"), "acct"),
              "GET\n\n\n\n\n\n\n\n\n\n\nbytes=0-3\nx-ms-date:Mon, 16 Nov 2026 00:59:49 GMT\nx-ms-version:2025-11-05\n"
              "/acct/acct/logs\ncomp:list\ninclude:a,b\nrestype:container");
}

TEST(blob_signature, a_date_counts_only_without_one_of_our_own) {
    const std::vector<http::header_field> headers{{"Date", date}};
    const http::request_head head{.method = "HEAD", .target = "/acct/logs/x", .path = "/acct/logs/x", .headers = headers};
    EXPECT_EQ(blob_string_to_sign(head, query_of(""), "acct"),
              std::string("HEAD\n\n\n\n\n\n") + std::string(date) + "\n\n\n\n\n\n/acct/acct/logs/x");
}

TEST(blob_signature, either_key_signs_and_nothing_else_does) {
    const sent s;
    const auto head = s.head("/acct/logs");
    const auto query = query_of("comp=list");
    const auto text = blob_string_to_sign(head, query, "acct");
    const auto with = [&](const std::string& header, base::tick at = now) {
        return authenticate_blob(header, head, query, who, {.now = at}).has_value();
    };
    EXPECT_TRUE(with("SharedKey acct:" + sign("a key", text)));
    EXPECT_TRUE(with("SharedKey acct:" + sign("another key", text)));
    EXPECT_FALSE(with("SharedKey acct:" + sign("no key", text)));
    EXPECT_FALSE(with("SharedKey other:" + sign("a key", text)));
    EXPECT_FALSE(with("SharedKeyLite acct:" + sign("a key", text)));
    EXPECT_FALSE(with("SharedKey acct:" + sign("a key", text), {now.value + 16 * 60 * base::ticks_per_second}));
    EXPECT_FALSE(authenticate_blob("SharedKey acct:" + sign("a key", text), head, query_of("comp=metadata"), who, {.now = now}));
}

// A query string with its signature, made by the server's own rules; the official client is asked in tests/sdk.
http::query_string signed_query(const std::string& raw, const blob_target& target) {
    auto sig = sign("a key", blob_sas_string_to_sign(query_of(raw), target, "acct"));
    std::string escaped;
    for (const char c : sig) {
        escaped += c == '+' ? "%2B" : c == '/' ? "%2F" : c == '=' ? "%3D" : std::string(1, c);
    }
    return query_of(raw + "&sig=" + escaped);
}

TEST(blob_sas, of_a_container_opens_it_and_what_is_in_it) {
    const std::string raw = "sv=2025-11-05&sr=c&sp=rl&se=2026-11-17T00:00:00Z";
    const blob_target all{"logs", "", true}, one{"logs", "web/x.log"};
    const auto query = signed_query(raw, all);
    const sas_facts facts{.now = now, .service = 'b'};
    EXPECT_TRUE(check_blob_sas(query, all, who, facts));
    EXPECT_TRUE(check_blob_sas(query, one, who, facts));
    EXPECT_FALSE(check_blob_sas(query, {"other", "", true}, who, facts));
    EXPECT_FALSE(check_blob_sas(query, {"", "", true}, who, facts));
    EXPECT_FALSE(check_blob_sas(query, one, who, {.now = {now.value + 48 * 3600 * base::ticks_per_second}, .service = 'b'}));
}

TEST(blob_sas, of_a_blob_opens_only_that) {
    const blob_target one{"logs", "web/x.log"};
    const auto query = signed_query("sv=2025-11-05&sr=b&sp=r&se=2026-11-17T00:00:00Z&spr=https", one);
    EXPECT_TRUE(check_blob_sas(query, one, who, {.now = now, .is_https = true, .service = 'b'}));
    EXPECT_FALSE(check_blob_sas(query, one, who, {.now = now, .is_https = false, .service = 'b'}));
    EXPECT_FALSE(check_blob_sas(query, {"logs", "web/y.log"}, who, {.now = now, .is_https = true, .service = 'b'}));
    EXPECT_FALSE(check_blob_sas(query, {"logs", "", true}, who, {.now = now, .is_https = true, .service = 'b'}));
}

TEST(blob_sas, who_may_list_may_not_read) {
    const blob_target all{"logs", "", true}, one{"logs", "web/x.log"}, one_as_list{"logs", "web/x.log", true};
    const auto query = signed_query("sv=2025-11-05&sr=c&sp=l&se=2026-11-17T00:00:00Z&comp=list", all);
    const sas_facts facts{.now = now, .service = 'b'};
    EXPECT_TRUE(check_blob_sas(query, all, who, facts));
    EXPECT_FALSE(check_blob_sas(query, one, who, facts));
    EXPECT_FALSE(check_blob_sas(query, one_as_list, who, facts));
}

TEST(blob_condition, a_read_may_insist_on_one_version) {
    using enum blob_condition;
    EXPECT_EQ(check_blob_conditions({}, {}, "0x1"), met);
    for (const auto* same : {"\"0x1\"", "0x1", "*", "\"0x2\", \"0x1\""}) {
        EXPECT_EQ(check_blob_conditions(same, {}, "0x1"), met) << same;
        EXPECT_EQ(check_blob_conditions({}, same, "0x1"), unmodified) << same;
    }
    for (const auto* other : {"\"0x2\"", "0x", "", "\"0x10\""}) {
        EXPECT_EQ(check_blob_conditions(other, {}, "0x1"), failed) << other;
        EXPECT_EQ(check_blob_conditions({}, other, "0x1"), met) << other;
    }
    EXPECT_EQ(check_blob_conditions("0x2", "0x1", "0x1"), failed) << "If-Match counts first";
}

TEST(blob_xml, dates_are_those_of_http) {
    EXPECT_EQ(http_date(now), date);
    EXPECT_EQ(parse_http_date(http_date(now)), now);
}

TEST(blob_xml, ranges_are_within_the_blob) {
    EXPECT_EQ(parse_byte_range("bytes=2-4", 10), (byte_range{2, 5}));
    EXPECT_EQ(parse_byte_range("bytes=2-", 10), (byte_range{2, 10}));
    EXPECT_EQ(parse_byte_range("bytes=2-99", 10), (byte_range{2, 10}));
    EXPECT_EQ(parse_byte_range("bytes=-3", 10), (byte_range{7, 10}));
    EXPECT_EQ(parse_byte_range("bytes=-30", 10), (byte_range{0, 10}));
    for (const auto* bad :
         {"", "bytes=", "bytes=-", "bytes=10-", "bytes=5-2", "bytes=-0", "lines=1-2", "bytes=a-b", "bytes=1-2,4-5"}) {
        EXPECT_FALSE(parse_byte_range(bad, 10)) << bad;
    }
}

} // namespace

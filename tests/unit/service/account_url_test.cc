#include "service/core/account_url.hh"

#include <gtest/gtest.h>

#include <vector>

namespace {

using service::replica;
using service::service_code;

const std::vector<std::string> accounts{"devstoreaccount1", "acct"};
const std::vector<std::string> bare_hosts{"store.lan"};
const service::account_names names{accounts, bare_hosts};

// T1
TEST(account_url, the_account_is_in_the_path_or_in_the_host) {
    const struct {
        std::string_view host, path, account, segment, rest;
    } cases[] = {
        {"127.0.0.1:10002", "/devstoreaccount1/Tables", "devstoreaccount1", "devstoreaccount1", "/Tables"},
        {"127.0.0.1", "/acct", "acct", "acct", ""},
        {"[::1]:10002", "/acct/", "acct", "acct", "/"},
        {"[::1]", "/acct/T()", "acct", "acct", "/T()"},
        {"localhost:10002", "/acct/T", "acct", "acct", "/T"},
        {"appliance", "/acct/T", "acct", "acct", "/T"},
        {"store.lan:80", "/acct/T", "acct", "acct", "/T"},
        {"STORE.LAN", "/acct/T", "acct", "acct", "/T"},
        {"acct.table.example", "/Tables", "acct", "", "/Tables"},
        {"ACCT.table.example:443", "/Tables", "acct", "", "/Tables"},
        {"acct.table.example.", "/", "acct", "", "/"},
        {"acct.table.example", "", "acct", "", ""},
        // The first label is no account of ours: the path names it.
        {"db.example", "/acct/T", "acct", "acct", "/T"},
    };
    for (const auto& c : cases) {
        const auto part = service::split_account(c.host, c.path, names);
        ASSERT_TRUE(part) << c.host << c.path;
        EXPECT_EQ(part->account, c.account) << c.host << c.path;
        EXPECT_EQ(part->path_segment, c.segment) << c.host << c.path;
        EXPECT_EQ(part->resource_path, c.rest) << c.host << c.path;
        EXPECT_EQ(part->which, replica::primary);
    }
}

// T2
TEST(account_url, the_secondary_is_known_in_both_styles) {
    const auto in_path = service::split_account("localhost", "/acct-secondary/T()", names);
    ASSERT_TRUE(in_path);
    EXPECT_EQ(in_path->account, "acct");
    EXPECT_EQ(in_path->which, replica::secondary);
    EXPECT_EQ(in_path->resource_path, "/T()");
    const auto in_host = service::split_account("acct-secondary.table.example", "/T()", names);
    ASSERT_TRUE(in_host);
    EXPECT_EQ(in_host->account, "acct");
    EXPECT_EQ(in_host->which, replica::secondary);
}

// T3
TEST(account_url, an_unknown_account_is_not_found) {
    for (auto path : {"/nobody/Tables", "/", "", "//Tables", "/acct2", "/-secondary/T", "acct/T"}) {
        const auto part = service::split_account("127.0.0.1:10002", path, names);
        ASSERT_FALSE(part) << path;
        EXPECT_EQ(part.error().code, service_code::resource_not_found) << path;
    }
}

TEST(account_url, a_request_without_host_is_refused) {
    for (auto host : {"", ":10002", "."}) {
        const auto part = service::split_account(host, "/acct/T", names);
        ASSERT_FALSE(part);
        EXPECT_EQ(part.error().code, service_code::host_information_not_present);
    }
}

TEST(account_url, urls_in_replies_begin_as_the_request_did) {
    EXPECT_EQ(service::base_url("http", "127.0.0.1:10002", *service::split_account("127.0.0.1:10002", "/acct/T", names)),
              "http://127.0.0.1:10002/acct");
    EXPECT_EQ(service::base_url("https", "acct.table.example", *service::split_account("acct.table.example", "/T", names)),
              "https://acct.table.example");
    EXPECT_EQ(service::base_url("http", "localhost", *service::split_account("localhost", "/acct-secondary/T", names)),
              "http://localhost/acct-secondary");
}

TEST(account_url, targets_of_operations_are_urls_or_paths) {
    const struct {
        std::string_view target, host, path, query;
    } cases[] = {
        {"http://127.0.0.1:10002/acct/T?$format=json", "127.0.0.1:10002", "/acct/T", "$format=json"},
        {"HTTPS://acct.table.example/T(PartitionKey='a?b',RowKey='')", "acct.table.example", "/T(PartitionKey='a",
         "b',RowKey='')"},
        {"http://host", "host", "", ""},
        {"http://host?x=1", "host", "", "x=1"},
        {"/acct/T", "", "/acct/T", ""},
        {"/acct/T?", "", "/acct/T", ""},
    };
    for (const auto& c : cases) {
        const auto parts = service::split_target(c.target);
        ASSERT_TRUE(parts) << c.target;
        EXPECT_EQ(parts->host, c.host);
        EXPECT_EQ(parts->path, c.path);
        EXPECT_EQ(parts->query, c.query);
    }
    for (auto target : {"", "T", "ftp://host/T", "http:///T", "://host/T", "http:", "http", "https"}) {
        ASSERT_FALSE(service::split_target(target)) << target;
        EXPECT_EQ(service::split_target(target).error().code, service_code::invalid_uri);
    }
}

} // namespace

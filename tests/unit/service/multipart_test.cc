#include "service/core/multipart.hh"

#include <gtest/gtest.h>

#include "service/core/limits.hh"
#include "service/core/mime.hh"

namespace {

using namespace service;

constexpr std::string_view outer_type = "multipart/mixed; boundary=batch_b1";

std::string changeset(std::string parts) {
    return "--batch_b1\r\nContent-Type: multipart/mixed; boundary=changeset_c1\r\n\r\n" + parts +
           "--changeset_c1--\r\n--batch_b1--\r\n";
}

std::string part(std::string_view request) {
    return "--changeset_c1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
           std::string(request) + "\r\n";
}

constexpr std::string_view insert = "POST http://127.0.0.1:10002/devstoreaccount1/Cities HTTP/1.1\r\n"
                                    "Content-Type: application/json;odata=nometadata\r\n"
                                    "Accept: application/json;odata=minimalmetadata\r\n"
                                    "Prefer: return-no-content\r\n"
                                    "DataServiceVersion: 3.0\r\n"
                                    "\r\n"
                                    "{\"PartitionKey\":\"at\",\"RowKey\":\"graz\"}";
constexpr std::string_view removal =
    "DELETE http://127.0.0.1:10002/devstoreaccount1/Cities(PartitionKey='at',RowKey='linz') HTTP/1.1\r\n"
    "If-Match: *\r\n"
    "\r\n";

std::string with_lf(std::string text) {
    std::erase(text, '\r');
    return text;
}

void expect_insert_and_removal(std::string_view body) {
    const auto batch = parse_batch(outer_type, body);
    ASSERT_TRUE(batch) << body;
    EXPECT_EQ(batch->kind, batch_kind::changeset);
    ASSERT_EQ(batch->operations.size(), 2U);
    const auto& first = batch->operations[0];
    EXPECT_EQ(first.method, "POST");
    EXPECT_EQ(first.target, "http://127.0.0.1:10002/devstoreaccount1/Cities");
    EXPECT_EQ(first.content_type, "application/json;odata=nometadata");
    EXPECT_EQ(first.accept, "application/json;odata=minimalmetadata");
    EXPECT_EQ(first.prefer, "return-no-content");
    EXPECT_EQ(first.if_match, std::nullopt);
    EXPECT_EQ(first.content_id, std::nullopt);
    EXPECT_EQ(first.body, R"({"PartitionKey":"at","RowKey":"graz"})");
    const auto& second = batch->operations[1];
    EXPECT_EQ(second.method, "DELETE");
    EXPECT_EQ(second.target, "http://127.0.0.1:10002/devstoreaccount1/Cities(PartitionKey='at',RowKey='linz')");
    EXPECT_EQ(second.if_match, "*");
    EXPECT_EQ(second.body, "");
}

TEST(multipart, the_plain_layout_parses_with_crlf_and_with_lf) {
    const auto body = changeset(part(insert) + part(removal));
    expect_insert_and_removal(body);
    expect_insert_and_removal(with_lf(body));
}

// T101: lower-case names, a blank line more before the JSON
TEST(multipart, the_layout_of_the_js_client) {
    const std::string body = "--batch_b1\r\ncontent-type: multipart/mixed; boundary=changeset_c1\r\n\r\n\r\n"
                             "--changeset_c1\r\ncontent-type: application/http\r\ncontent-transfer-encoding: binary\r\n\r\n"
                             "POST http://127.0.0.1:10002/devstoreaccount1/Cities HTTP/1.1\r\n"
                             "accept: application/json;odata=minimalmetadata\r\nprefer: return-no-content\r\n"
                             "content-type: application/json;odata=nometadata\r\n\r\n\r\n"
                             "{\"PartitionKey\":\"at\",\"RowKey\":\"graz\"}\r\n"
                             "--changeset_c1\r\ncontent-type: application/http\r\ncontent-transfer-encoding: binary\r\n\r\n"
                             "DELETE http://127.0.0.1:10002/devstoreaccount1/Cities(PartitionKey='at',RowKey='linz') HTTP/1.1\r\n"
                             "if-match: *\r\n\r\n\r\n"
                             "--changeset_c1--\r\n\r\n--batch_b1--";
    expect_insert_and_removal(body);
}

// T101: Content-ID in the part, Content-Length of the JSON inside
TEST(multipart, the_layout_of_the_python_client) {
    const std::string body =
        "--batch_b1\r\nContent-Type: multipart/mixed; boundary=changeset_c1\r\n\r\n"
        "--changeset_c1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: 0\r\n\r\n"
        "POST http://127.0.0.1:10002/devstoreaccount1/Cities HTTP/1.1\r\n"
        "x-ms-version: 2019-02-02\r\nDataServiceVersion: 3.0\r\nPrefer: return-no-content\r\n"
        "Content-Type: application/json;odata=nometadata\r\nAccept: application/json;odata=minimalmetadata\r\n"
        "Content-Length: 37\r\nx-ms-date: Mon, 16 Nov 2026 00:59:49 GMT\r\nDate: Mon, 16 Nov 2026 00:59:49 GMT\r\n"
        "x-ms-client-request-id: 1\r\n\r\n"
        "{\"PartitionKey\":\"at\",\"RowKey\":\"graz\"}\r\n"
        "--changeset_c1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: 1\r\n\r\n"
        "DELETE http://127.0.0.1:10002/devstoreaccount1/Cities(PartitionKey='at',RowKey='linz') HTTP/1.1\r\n"
        "If-Match: *\r\nContent-Length: 0\r\n\r\n\r\n"
        "--changeset_c1--\r\n\r\n--batch_b1--\r\n";
    expect_insert_and_removal(body);
}

// T101: an inner Host, no blank line between the closing boundaries
TEST(multipart, the_layout_of_the_dotnet_client) {
    const std::string body =
        "--batch_b1\r\nContent-Type: multipart/mixed; boundary=changeset_c1\r\n\r\n"
        "--changeset_c1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        "POST http://127.0.0.1:10002/devstoreaccount1/Cities HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Accept: application/json;odata=minimalmetadata\r\nDataServiceVersion: 3.0\r\nPrefer: return-no-content\r\n"
        "Content-Type: application/json;odata=nometadata\r\n\r\n"
        "{\"PartitionKey\":\"at\",\"RowKey\":\"graz\"}\r\n"
        "--changeset_c1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        "DELETE http://127.0.0.1:10002/devstoreaccount1/Cities(PartitionKey='at',RowKey='linz') HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "If-Match: *\r\n\r\n\r\n"
        "--changeset_c1--\r\n--batch_b1--\r\n";
    expect_insert_and_removal(body);
}

TEST(multipart, the_outer_boundary_need_not_be_closed) {
    auto body = changeset(part(insert) + part(removal));
    for (std::string_view tail : {"--\r\n", "\r\n", "--batch_b1", "\r\n"}) {
        body.resize(body.size() - (body.ends_with(tail) ? tail.size() : 0));
        expect_insert_and_removal(body);
    }
}

TEST(multipart, boundaries_may_be_quoted_and_targets_may_be_paths) {
    const auto request = "PATCH /acct/T(PartitionKey='a b',RowKey='')?$format=json&tn=T HTTP/1.1\r\nContent-ID: "
                         "7\r\nX-HTTP-Method: MERGE\r\n\r\n{}";
    auto body = changeset(part(request));
    const auto batch = parse_batch("Multipart/Mixed;charset=utf-8; Boundary=\"batch_b1\"", body);
    ASSERT_TRUE(batch);
    ASSERT_EQ(batch->operations.size(), 1U);
    EXPECT_EQ(batch->operations[0].target, "/acct/T(PartitionKey='a b',RowKey='')?$format=json&tn=T");
    EXPECT_EQ(batch->operations[0].content_id, "7");
    EXPECT_EQ(batch->operations[0].x_http_method, std::vector<std::string_view>{"MERGE"});
    EXPECT_EQ(batch->operations[0].body, "{}");
}

// T112
TEST(multipart, text_that_looks_like_a_boundary_survives_in_json) {
    for (std::string json : {R"({"x":"--changeset_c1\r\n--changeset_c1--"})", R"({"x":"a--batch_b1--"})",
                             "{\"x\":\n \"--changeset_c1\"}", "{\n--changeset_c1x\n}", "{\n--changeset_c1-- x\n}"}) {
        const auto body = changeset(part("PUT /a/T HTTP/1.1\r\n\r\n" + json) + part(removal));
        const auto batch = parse_batch(outer_type, body);
        ASSERT_TRUE(batch) << json;
        ASSERT_EQ(batch->operations.size(), 2U) << json;
        EXPECT_EQ(batch->operations[0].body, json);
    }
}

// T111
TEST(multipart, one_get_stands_where_the_changeset_would) {
    const std::string query = "--batch_b1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
                              "GET http://h/acct/T(PartitionKey='p',RowKey='r') HTTP/1.1\r\nAccept: application/json\r\n\r\n\r\n";
    for (auto tail : {"--batch_b1--\r\n", "--batch_b1\r\n", ""}) {
        const auto body = query + tail;
        const auto batch = parse_batch(outer_type, body);
        ASSERT_TRUE(batch) << tail;
        EXPECT_EQ(batch->kind, batch_kind::query);
        ASSERT_EQ(batch->operations.size(), 1U);
        EXPECT_EQ(batch->operations[0].target, "http://h/acct/T(PartitionKey='p',RowKey='r')");
        EXPECT_EQ(batch->operations[0].accept, "application/json");
    }
    // Beside a changeset, beside another, inside one; and a write outside of one.
    const auto writes = changeset(part(insert));
    for (const std::string& body : std::vector<std::string>{
             query + writes, writes.substr(0, writes.size() - 14) + query, query + query,
             changeset(part("GET /a/T HTTP/1.1\r\n\r\n")), changeset(part(insert) + part("GET /a/T HTTP/1.1\r\n\r\n")),
             "--batch_b1\r\nContent-Type: application/http\r\n\r\nDELETE /a/T HTTP/1.1\r\n\r\n--batch_b1--\r\n"}) {
        const auto batch = parse_batch(outer_type, body);
        ASSERT_FALSE(batch) << body;
        EXPECT_EQ(batch.error().code, service_code::invalid_input);
    }
}

// T109
TEST(multipart, parsing_stops_one_operation_above_the_limit) {
    auto body = [](size_t count) {
        std::string parts;
        for (size_t i = 0; i < count; ++i) {
            parts += part(removal);
        }
        return changeset(parts);
    };
    EXPECT_EQ(parse_batch(outer_type, body(100))->operations.size(), 100U);
    EXPECT_EQ(parse_batch(outer_type, body(101))->operations.size(), 101U);
    EXPECT_EQ(parse_batch(outer_type, body(500))->operations.size(), 101U);
}

TEST(multipart, what_is_no_transaction_is_refused_as_a_whole) {
    const auto good = changeset(part(insert));
    const std::pair<std::string_view, std::string> cases[] = {
        {"application/json", good},
        {"multipart/mixed", good},
        {"multipart/mixed; boundary=", good},
        {"multipart/mixed; boundary=other", good},
        {"multipart/form-data; boundary=batch_b1", good},
        {"", good},
        {outer_type, ""},
        {outer_type, "--batch_b1--\r\n"},
        {outer_type, changeset("")},
        {outer_type, changeset("\r\n\r\n")},
        {outer_type, good.substr(0, good.find("--changeset_c1--"))},
        {outer_type, good.substr(0, good.find("graz"))},
        {outer_type, changeset(part("POST /a/T\r\n\r\n{}"))},
        {outer_type, changeset(part("POST HTTP/1.1\r\n\r\n{}"))},
        {outer_type, changeset(part("POST /a/T HTTP/2\r\n\r\n{}"))},
        {outer_type, changeset(part("POST /a/T HTTP/1.1\r\nno header\r\n\r\n{}"))},
        {outer_type, changeset(part("POST /a/T HTTP/1.1\r\n folded: x\r\n\r\n{}"))},
        {outer_type, changeset("--changeset_c1\r\n\r\nPOST /a/T HTTP/1.1\r\n\r\n{}\r\n")},
        {outer_type, changeset("--changeset_c1\r\nContent-Type: text/plain\r\n\r\nPOST /a/T HTTP/1.1\r\n\r\n{}\r\n")},
        {outer_type,
         "--batch_b1\r\nContent-Type: multipart/mixed\r\n\r\n" + part(insert) + "--changeset_c1--\r\n--batch_b1--\r\n"},
    };
    for (const auto& [type, body] : cases) {
        const auto batch = parse_batch(type, body);
        ASSERT_FALSE(batch) << type << '\n' << body;
        EXPECT_EQ(batch.error().code, service_code::invalid_input);
    }
}

// T114
TEST(multipart, bodies_over_4_mib_are_too_large) {
    EXPECT_EQ(parse_batch(outer_type, std::string(request_body_bytes_max + 1, 'x')).error().code,
              service_code::request_body_too_large);
}

TEST(mime, boundaries_are_found_in_every_spelling) {
    EXPECT_EQ(boundary_of("multipart/mixed; boundary=a"), "a");
    EXPECT_EQ(boundary_of("multipart/mixed;boundary=\"a b\";charset=utf-8"), "a b");
    EXPECT_EQ(boundary_of("MULTIPART/MIXED ; x=y; BOUNDARY=a=b"), "a=b");
    EXPECT_EQ(boundary_of("multipart/mixed; boundary=\"\""), std::nullopt);
    EXPECT_EQ(boundary_of("multipart/mixed; boundary=" + std::string(129, 'x')), std::nullopt);
}

} // namespace

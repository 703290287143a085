#include "service/core/batch_reply.hh"

#include <gtest/gtest.h>

namespace {

using namespace service;

const base::tick stored = *base::parse_time("2020-11-07T01:23:13.5774705Z");
const error_stamp stamp{"1bf4974c-7002-0058-06b8-b3e6ee000000", *base::parse_time("2021-01-06T01:01:30.9536883Z")};
constexpr std::string_view location = "http://127.0.0.1:10002/acct/Cities(PartitionKey='at',RowKey='graz')";

constexpr std::string_view head = "--batchresponse_g1\r\n"
                                  "Content-Type: multipart/mixed; boundary=changesetresponse_g2\r\n"
                                  "\r\n";
constexpr std::string_view part_head = "--changesetresponse_g2\r\n"
                                       "Content-Type: application/http\r\n"
                                       "Content-Transfer-Encoding: binary\r\n"
                                       "\r\n";
constexpr std::string_view tail = "--changesetresponse_g2--\r\n"
                                  "--batchresponse_g1--\r\n";

std::string reply_with(auto add) {
    std::string out;
    changeset_reply reply(out, "g1", "g2");
    add(reply);
    reply.finish();
    return out;
}

// One part, without what stands around it.
std::string part_with(auto add) {
    const auto whole = reply_with(add);
    const auto begin = head.size() + part_head.size();
    EXPECT_TRUE(whole.starts_with(std::string(head) + std::string(part_head)));
    EXPECT_TRUE(whole.ends_with(tail));
    return whole.substr(begin, whole.size() - begin - tail.size());
}

// T103, T104
TEST(batch_reply, insert_without_content_and_delete_byte_for_byte) {
    const auto whole = reply_with([](changeset_reply& reply) {
        reply.add_insert({.location = location, .timestamp = stored, .preferred = preference::return_no_content, .entity = "{}"},
                         std::nullopt);
        reply.add_delete(std::nullopt);
    });
    EXPECT_EQ(whole, std::string(head) + std::string(part_head) +
                         "HTTP/1.1 204 No Content\r\n"
                         "X-Content-Type-Options: nosniff\r\n"
                         "Cache-Control: no-cache\r\n"
                         "Preference-Applied: return-no-content\r\n"
                         "DataServiceVersion: 3.0;\r\n"
                         "Location: http://127.0.0.1:10002/acct/Cities(PartitionKey='at',RowKey='graz')\r\n"
                         "DataServiceId: http://127.0.0.1:10002/acct/Cities(PartitionKey='at',RowKey='graz')\r\n"
                         "ETag: W/\"datetime'2020-11-07T01%3A23%3A13.5774705Z'\"\r\n"
                         "\r\n"
                         "\r\n" +
                         std::string(part_head) +
                         "HTTP/1.1 204 No Content\r\n"
                         "X-Content-Type-Options: nosniff\r\n"
                         "Cache-Control: no-cache\r\n"
                         "DataServiceVersion: 1.0;\r\n"
                         "\r\n"
                         "\r\n" +
                         std::string(tail));
}

TEST(batch_reply, insert_with_content_carries_the_entity_on_one_line) {
    EXPECT_EQ(part_with([](changeset_reply& reply) {
                  reply.add_insert(
                      {.location = location, .timestamp = stored, .level = metadata_level::none, .entity = R"({"a":1})"}, "5");
              }),
              "HTTP/1.1 201 Created\r\n"
              "Content-ID: 5\r\n"
              "X-Content-Type-Options: nosniff\r\n"
              "Cache-Control: no-cache\r\n"
              "DataServiceVersion: 3.0;\r\n"
              "Content-Type: application/json;odata=nometadata;streaming=true;charset=utf-8\r\n"
              "Location: http://127.0.0.1:10002/acct/Cities(PartitionKey='at',RowKey='graz')\r\n"
              "ETag: W/\"datetime'2020-11-07T01%3A23%3A13.5774705Z'\"\r\n"
              "\r\n"
              "{\"a\":1}\r\n");
}

TEST(batch_reply, updates_have_an_etag_and_no_location) {
    EXPECT_EQ(part_with([](changeset_reply& reply) { reply.add_update(stored, std::nullopt); }),
              "HTTP/1.1 204 No Content\r\n"
              "X-Content-Type-Options: nosniff\r\n"
              "Cache-Control: no-cache\r\n"
              "DataServiceVersion: 1.0;\r\n"
              "ETag: W/\"datetime'2020-11-07T01%3A23%3A13.5774705Z'\"\r\n"
              "\r\n"
              "\r\n");
}

// T105
TEST(batch_reply, a_failure_is_one_part_with_the_index_before_the_message) {
    EXPECT_EQ(part_with([](changeset_reply& reply) {
                  reply.add_failure({.error = {service_code::entity_already_exists},
                                     .index = 3,
                                     .operations_count = 5,
                                     .preferred = preference::return_no_content,
                                     .stamp = stamp},
                                    std::nullopt);
              }),
              "HTTP/1.1 409 Conflict\r\n"
              "X-Content-Type-Options: nosniff\r\n"
              "Cache-Control: no-cache\r\n"
              "Preference-Applied: return-no-content\r\n"
              "DataServiceVersion: 3.0;\r\n"
              "Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8\r\n"
              "\r\n"
              "{\"odata.error\":{\"code\":\"EntityAlreadyExists\",\"message\":{\"lang\":\"en-US\",\"value\":\"3:The specified "
              "entity already exists."
              "\\nRequestId:1bf4974c-7002-0058-06b8-b3e6ee000000\\nTime:2021-01-06T01:01:30.9536883Z\"}}}\r\n");
}

// T106
TEST(batch_reply, a_lone_operation_that_fails_at_its_row_has_no_index) {
    using enum service_code;
    for (auto code : {resource_not_found, update_condition_not_satisfied, entity_already_exists, property_value_too_large}) {
        EXPECT_EQ(failure_prefix(code, 0, 1), "") << name(code);
        EXPECT_EQ(failure_prefix(code, 0, 2), "0:") << name(code);
    }
    for (auto code : {table_not_found, properties_need_value, out_of_range_input, invalid_input, invalid_duplicate_row}) {
        EXPECT_EQ(failure_prefix(code, 0, 1), "0:") << name(code);
        EXPECT_EQ(failure_prefix(code, 99, 100), "99:") << name(code);
    }
}

TEST(batch_reply, a_timeout_has_its_own_words_in_a_transaction) {
    const auto part = part_with([](changeset_reply& reply) {
        reply.add_failure({.error = {service_code::operation_timed_out}, .index = 1, .operations_count = 2, .stamp = stamp},
                          std::nullopt);
    });
    EXPECT_TRUE(part.contains("\"1:Operation could not be completed within the specified time.\\n")) << part;
    EXPECT_TRUE(part.starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
}

// T111
TEST(batch_reply, a_query_part_stands_alone) {
    std::string out;
    append_query_reply(out, "g1", {.timestamp = stored, .json = R"({"a":1})"});
    EXPECT_EQ(out, "--batchresponse_g1\r\n"
                   "Content-Type: application/http\r\n"
                   "Content-Transfer-Encoding: binary\r\n"
                   "\r\n"
                   "HTTP/1.1 200 OK\r\n"
                   "DataServiceVersion: 3.0;\r\n"
                   "Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8\r\n"
                   "X-Content-Type-Options: nosniff\r\n"
                   "Cache-Control: no-cache\r\n"
                   "ETag: W/\"datetime'2020-11-07T01%3A23%3A13.5774705Z'\"\r\n"
                   "\r\n"
                   "{\"a\":1}\r\n"
                   "--batchresponse_g1--\r\n");
    std::string failed;
    append_query_failure(failed, "g1", {service_code::resource_not_found}, metadata_level::minimal, stamp);
    EXPECT_TRUE(failed.contains("HTTP/1.1 404 Not Found\r\n"));
    EXPECT_TRUE(failed.contains("\"value\":\"The specified resource does not exist.\\n"));
    std::string paged;
    append_query_reply(paged, "g1", {.next_partition_key = "1!0!", .next_row_key = "1!4!YQ--", .json = "{}"});
    EXPECT_TRUE(paged.contains("x-ms-continuation-NextPartitionKey: 1!0!\r\nx-ms-continuation-NextRowKey: 1!4!YQ--\r\n\r\n{}"));
}

TEST(batch_reply, the_content_type_names_the_boundary) {
    EXPECT_EQ(batch_content_type("g1"), "multipart/mixed; boundary=batchresponse_g1");
}

} // namespace

#include "query/core/native/encoder.hh"

#include <cmath>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace query;
using tables::property;
using tables::value;

constexpr int64_t noon = 1'794'830'400'000'000'000;

struct sample {
    origin cpu{origin_kind::family, "cpu"};
    origin audit{origin_kind::table, "audit"};
    std::vector<tables::tag> tags{{"host", "a,b"}, {"x", "tag"}};
    std::vector<property> fields{
        {"note", value::of_string("say \"hi\"\n")}, {"usage", value::of_real(1.5)}, {"x", value::of_int64(1)}};
    std::vector<property> head{{"PartitionKey", value::of_string("p")}, {"RowKey", value::of_string("r")}};
    std::vector<property> mixed{{"flag", value::of_boolean(true)},
                                {"raw", value::of_binary("\x01\xff")},
                                {"usage", value::of_int64(9'007'199'254'740'993)},
                                {"when", value::of_datetime(base::unix_epoch)}};

    std::vector<answer_row> rows() const { return {{noon + 1, &cpu, {}, tags, fields}, {noon, &audit, head, {}, mixed}}; }
};

std::string encode(format f, const std::vector<answer_row>& rows, const answer_facts& facts = {}) {
    column_set columns;
    for (const auto& row : rows) {
        columns.observe(row);
    }
    columns.close();
    const auto e = make_encoder(f, columns, facts);
    std::string out;
    for (const auto& row : rows) {
        e->add(row, out);
    }
    e->finish(facts, out);
    return out;
}

TEST(encoder, json_nests_tags_and_fields) {
    answer_facts facts{.range = {noon, time_range::forever}, .rows_examined = 7, .rows_skipped = 1, .cursor = "c"};
    EXPECT_EQ(encode(format::json, sample().rows(), facts),
              R"({"rows":[
{"time":"2026-11-16T12:00:00.000000001Z","family":"cpu","tags":{"host":"a,b","x":"tag"},"fields":{"note":"say \"hi\"\n","usage":1.5,"x":1}},
{"time":"2026-11-16T12:00:00Z","table":"audit","PartitionKey":"p","RowKey":"r","fields":{"flag":true,"raw":"Af8=","usage":9007199254740993,"when":"1970-01-01T00:00:00Z"}}
],"start":"2026-11-16T12:00:00Z","end":null,"rows_examined":7,"rows_skipped":1,"cursor":"c"}
)");
    EXPECT_EQ(encode(format::json, {}),
              "{\"rows\":[],\"start\":null,\"end\":null,\"rows_examined\":0,\"rows_skipped\":0,\"cursor\":null}\n");
}

TEST(encoder, ndjson_has_a_row_for_each_line) {
    const auto text = encode(format::ndjson, sample().rows());
    EXPECT_EQ(std::ranges::count(text, '\n'), 2);
    EXPECT_TRUE(text.starts_with("{\"time\":"));
}

TEST(encoder, json_has_no_word_for_infinity) {
    const std::vector<property> fields{{"a", value::of_real(INFINITY)}, {"b", value::of_real(std::nan(""))}};
    EXPECT_THAT(encode(format::ndjson, {{noon, nullptr, {}, {}, fields}}),
                ::testing::HasSubstr(R"("fields":{"a":null,"b":null})"));
}

TEST(encoder, csv_names_its_columns_and_quotes_what_needs_it) {
    EXPECT_EQ(encode(format::csv, sample().rows()),
              "time,family,table,PartitionKey,RowKey,host,tag.x,flag,note,raw,usage,when,field.x\r\n"
              "2026-11-16T12:00:00.000000001Z,cpu,,,,\"a,b\",tag,,\"say \"\"hi\"\"\n\",,1.5,,1\r\n"
              "2026-11-16T12:00:00Z,,audit,p,r,,,true,,Af8=,9007199254740993,1970-01-01T00:00:00Z,\r\n");
    EXPECT_EQ(encode(format::csv, {}), "time\r\n");
}

TEST(encoder, arrow_is_read_back_by_arrow) {
    const auto bytes = encode(format::arrow, sample().rows());
    auto opened =
        arrow::ipc::RecordBatchStreamReader::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
    ASSERT_TRUE(opened.ok()) << opened.status();
    const auto table = (*opened)->ToTable().ValueOrDie();
    EXPECT_EQ(table->num_rows(), 2);
    const auto at = [&](const char* column, int64_t row) {
        return table->GetColumnByName(column)->GetScalar(row).ValueOrDie()->ToString();
    };
    EXPECT_EQ(table->schema()->GetFieldByName("time")->type()->ToString(), "timestamp[ns, tz=UTC]");
    EXPECT_EQ(at("host", 0), "a,b");
    EXPECT_EQ(at("host", 1), "null");
    EXPECT_EQ(at("usage", 0), "1.5");
    EXPECT_EQ(at("usage:int64", 0), "null");
    EXPECT_EQ(at("usage:int64", 1), "9007199254740993");
    EXPECT_EQ(at("flag", 1), "true");
    EXPECT_EQ(at("tag.x", 0), "tag");
}

TEST(encoder, an_empty_arrow_stream_has_a_schema) {
    const auto bytes = encode(format::arrow, {});
    auto opened =
        arrow::ipc::RecordBatchStreamReader::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ((*opened)->schema()->num_fields(), 1);
    EXPECT_EQ((*opened)->ToTable().ValueOrDie()->num_rows(), 0);
}

TEST(encoder, an_arrow_schema_says_what_the_answer_covers) {
    const answer_facts facts{.range = {noon, time_range::forever},
                             .cursor = "c",
                             .percentile_error = 0.01,
                             .damage = {{.table = "cpu20261116", .times = {noon, noon + 1}, .why = "a block"}}};
    const auto bytes = encode(format::arrow, sample().rows(), facts);
    auto opened =
        arrow::ipc::RecordBatchStreamReader::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes)));
    ASSERT_TRUE(opened.ok()) << opened.status();
    const auto metadata = (*opened)->schema()->metadata();
    EXPECT_EQ(metadata->Get("downtick.start").ValueOrDie(), "2026-11-16T12:00:00Z");
    EXPECT_FALSE(metadata->Contains("downtick.end"));
    EXPECT_EQ(metadata->Get("downtick.cursor").ValueOrDie(), "c");
    EXPECT_EQ(metadata->Get("downtick.percentile_error").ValueOrDie(), "0.01");
    EXPECT_THAT(metadata->Get("downtick.damaged").ValueOrDie(), testing::HasSubstr("cpu20261116"));
}

TEST(encoder, the_format_is_the_one_most_wanted) {
    EXPECT_EQ(choose_format(""), format::json);
    EXPECT_EQ(choose_format("*/*"), format::json);
    EXPECT_EQ(choose_format("text/csv"), format::csv);
    EXPECT_EQ(choose_format("text/html, text/*;q=0.5"), format::csv);
    EXPECT_EQ(choose_format("application/json;q=0.5, application/x-ndjson"), format::ndjson);
    EXPECT_EQ(choose_format("APPLICATION/vnd.apache.arrow.stream"), format::arrow);
    EXPECT_EQ(choose_format("text/csv;q=0, */*;q=0.1"), format::json);
    EXPECT_FALSE(choose_format("image/png"));
}

} // namespace

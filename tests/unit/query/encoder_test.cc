#include "query/core/native/encoder.hh"

#include <algorithm>
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

std::string encode(format f, const std::vector<answer_row>& rows, const answer_facts& facts = {}, column_set columns = {}) {
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

TEST(encoder, csv_has_words_for_what_is_no_finite_number) {
    const std::vector<property> fields{
        {"a", value::of_real(INFINITY)}, {"b", value::of_real(-INFINITY)}, {"c", value::of_real(std::nan(""))}};
    EXPECT_THAT(encode(format::csv, {{noon, nullptr, {}, {}, fields}}), ::testing::EndsWith(",Infinity,-Infinity,NaN\r\n"));
}

TEST(encoder, csv_of_aggregates_has_the_columns_that_were_asked_for) {
    const aggregation asked{parse_aggregates("rate(c),count(*),max(b)").value(), {}, {"host", "dc"}};
    const std::vector<tables::tag> tags{{"host", "a"}};
    const std::vector<property> fields{{"count(*)", value::of_int64(2)}};
    EXPECT_EQ(encode(format::csv, {{noon, nullptr, {}, tags, fields}}, {}, column_set(asked)),
              "time,host,dc,rate(c),count(*),max(b)\r\n2026-11-16T12:00:00Z,a,,,2,\r\n");
}

TEST(encoder, a_double_in_json_says_that_it_is_one) {
    const std::vector<property> fields{{"a", value::of_real(12)},    {"b", value::of_real(-0.0)}, {"c", value::of_real(0.5)},
                                       {"d", value::of_real(1e300)}, {"e", value::of_int64(12)},  {"f", value::of_real(1e15)}};
    EXPECT_THAT(encode(format::ndjson, {{noon, nullptr, {}, {}, fields}}),
                ::testing::HasSubstr(R"("fields":{"a":12.0,"b":-0.0,"c":0.5,"d":1e+300,"e":12,"f":1e+15})"));
    EXPECT_THAT(encode(format::csv, {{noon, nullptr, {}, {}, fields}}), ::testing::HasSubstr(",12,-0,0.5,1e+300,12,1e+15"));
}

TEST(encoder, a_set_of_columns_has_a_bound) {
    std::vector<std::string> names;
    for (size_t i = 0; i <= flat_columns_max; ++i) {
        names.push_back("f" + std::to_string(i));
    }
    column_set columns;
    for (const auto& name : names) {
        EXPECT_FALSE(columns.is_too_wide());
        const std::vector<property> field{{name, value::of_int64(1)}};
        columns.observe({noon, nullptr, {}, {}, field});
    }
    EXPECT_TRUE(columns.is_too_wide());
}

TEST(encoder, arrow_batches_of_many_columns_have_few_rows) {
    std::vector<std::string> names;
    std::vector<property> fields;
    for (int i = 0; i < 2'000; ++i) {
        names.push_back("f" + std::to_string(i));
    }
    std::ranges::sort(names);
    for (const auto& name : names) {
        fields.push_back({name, value::of_int64(1)});
    }
    const auto bytes = encode(format::arrow, std::vector<answer_row>(100, {noon, nullptr, {}, {}, fields}));
    const auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
    const auto reader = arrow::ipc::RecordBatchStreamReader::Open(input).ValueOrDie();
    int64_t rows = 0;
    for (std::shared_ptr<arrow::RecordBatch> batch; reader->ReadNext(&batch).ok() && batch;) {
        EXPECT_LE(batch->num_rows() * batch->num_columns(), 70'000);
        rows += batch->num_rows();
    }
    EXPECT_EQ(rows, 100);
}

// A family, a table and a source, and rows that have something of everything.
struct selection {
    std::string select;

    column_set columns(std::vector<origin> origins) const {
        const std::vector<parameter> parameters{{"from", "x"}, {"select", select}};
        auto asked = parse_request(verb::range, parameters, noon).value();
        auto where = program::compile(asked.where).value();
        return column_set(plan{std::move(asked), std::move(where), std::move(origins), {}});
    }
};

TEST(encoder, selected_columns_are_those_of_the_plan_whatever_the_rows_have) {
    const origin cpu{origin_kind::family, "cpu"};
    const origin web{origin_kind::source, "web"};
    const std::vector<tables::tag> tags{{"host", "a"}};
    const std::vector<property> head{{"host", value::of_string("b")}, {"message", value::of_string("m")}};
    const answer_row point{noon, &cpu, {}, tags, {}};
    const answer_row record{noon, &web, head, {}, {}};
    const auto csv = [&](const std::vector<answer_row>& rows) {
        return encode(format::csv, rows, {}, selection{"message,host,tag.host,nope,time"}.columns({cpu, web}));
    };
    const std::string names = "time,family,source,message,host,tag.host,nope\r\n";
    EXPECT_EQ(csv({}), names);
    EXPECT_EQ(csv({point}), names + "2026-11-16T12:00:00Z,cpu,,,a,a,\r\n");
    EXPECT_EQ(csv({record}), names + "2026-11-16T12:00:00Z,,web,m,b,,\r\n");
    EXPECT_EQ(csv({record, point}), names + "2026-11-16T12:00:00Z,,web,m,b,,\r\n2026-11-16T12:00:00Z,cpu,,,a,a,\r\n");
}

TEST(encoder, a_selected_name_that_is_a_tag_and_a_field_is_the_tag) {
    const origin cpu{origin_kind::family, "cpu"};
    const std::vector<tables::tag> tags{{"x", "tag"}, {"source", "s"}};
    const std::vector<property> fields{{"x", value::of_int64(1)}};
    EXPECT_EQ(encode(format::csv, {{noon, &cpu, {}, tags, fields}}, {}, selection{"x,field.x,source,family"}.columns({cpu})),
              "time,family,x,field.x,source\r\n2026-11-16T12:00:00Z,cpu,tag,1,s\r\n");
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

#include "service/core/entity_printer.hh"

#include <gtest/gtest.h>

#include <cmath>

#include "service/core/edm_text.hh"
#include "service/core/entity_json.hh"
#include "service/core/table_printer.hh"
#include "tables/core/etag.hh"

namespace {

using namespace service;
using tables::value;

constexpr std::string_view base_url = "http://127.0.0.1:10002/acct";

reply_context at(metadata_level level) {
    return {level, base_url, "acct"};
}

// An entity that owns what its view borrows.
struct sample {
    tables::shape shape;
    std::string row;
    std::string partition_key = "at";
    std::string row_key = "wien";
    base::tick timestamp = *base::parse_time("2021-09-21T01:04:37.9678478Z");

    explicit sample(const std::vector<tables::property>& sorted) : shape(tables::shape_of(sorted)) {
        tables::pack_row(sorted, row);
    }
    tables::entity_view view() const { return {partition_key, row_key, timestamp, {shape, row}}; }
};

sample every_type() {
    return sample({{"b", value::of_boolean(true)},
                   {"big", value::of_int64(933311100)},
                   {"bin", value::of_binary("binary")},
                   {"d", value::of_real(5)},
                   {"g", value::of_guid(*parse_guid("c9da6455-213d-42c9-9a79-3e9149a57833"))},
                   {"i", value::of_int32(39)},
                   {"nan", value::of_real(NAN)},
                   {"s", value::of_string("x")},
                   {"t", value::of_datetime(*base::parse_time("1973-10-04"))}});
}

std::string single(const sample& entity, metadata_level level, std::string_view select = {}) {
    std::string out;
    entity_printer(at(level), "Cities", selection(select)).append_single(out, entity.view());
    return out;
}

// T34, T36, T41
TEST(entity_printer, full_metadata_has_everything_in_the_order_of_the_service) {
    EXPECT_EQ(single(every_type(), metadata_level::full),
              R"j({"odata.metadata":"http://127.0.0.1:10002/acct/$metadata#Cities/@Element","odata.type":"acct.Cities",)j"
              R"j("odata.id":"http://127.0.0.1:10002/acct/Cities(PartitionKey='at',RowKey='wien')",)j"
              R"j("odata.etag":"W/\"datetime'2021-09-21T01%3A04%3A37.9678478Z'\"",)j"
              R"j("odata.editLink":"Cities(PartitionKey='at',RowKey='wien')","PartitionKey":"at","RowKey":"wien",)j"
              R"j("Timestamp@odata.type":"Edm.DateTime","Timestamp":"2021-09-21T01:04:37.9678478Z",)j"
              R"j("b":true,"big@odata.type":"Edm.Int64","big":"933311100","bin@odata.type":"Edm.Binary","bin":"YmluYXJ5",)j"
              R"j("d":5.0,"g@odata.type":"Edm.Guid","g":"c9da6455-213d-42c9-9a79-3e9149a57833","i":39,)j"
              R"j("nan@odata.type":"Edm.Double","nan":"NaN","s":"x","t@odata.type":"Edm.DateTime","t":"1973-10-04T00:00:00Z"})j");
}

// T24, T34
TEST(entity_printer, minimal_metadata_has_no_links_and_a_bare_timestamp) {
    EXPECT_EQ(single(every_type(), metadata_level::minimal),
              R"j({"odata.metadata":"http://127.0.0.1:10002/acct/$metadata#Cities/@Element",)j"
              R"j("odata.etag":"W/\"datetime'2021-09-21T01%3A04%3A37.9678478Z'\"","PartitionKey":"at","RowKey":"wien",)j"
              R"j("Timestamp":"2021-09-21T01:04:37.9678478Z",)j"
              R"j("b":true,"big@odata.type":"Edm.Int64","big":"933311100","bin@odata.type":"Edm.Binary","bin":"YmluYXJ5",)j"
              R"j("d":5.0,"g@odata.type":"Edm.Guid","g":"c9da6455-213d-42c9-9a79-3e9149a57833","i":39,)j"
              R"j("nan@odata.type":"Edm.Double","nan":"NaN","s":"x","t@odata.type":"Edm.DateTime","t":"1973-10-04T00:00:00Z"})j");
}

// T35
TEST(entity_printer, no_metadata_has_values_only) {
    EXPECT_EQ(single(every_type(), metadata_level::none),
              R"j({"PartitionKey":"at","RowKey":"wien","Timestamp":"2021-09-21T01:04:37.9678478Z","b":true,"big":"933311100",)j"
              R"j("bin":"YmluYXJ5","d":5.0,"g":"c9da6455-213d-42c9-9a79-3e9149a57833","i":39,"nan":"NaN","s":"x",)j"
              R"j("t":"1973-10-04T00:00:00Z"})j");
}

TEST(entity_printer, a_set_has_the_metadata_once) {
    const sample first({{"pop", value::of_int32(1900000)}});
    sample second({});
    second.row_key = "graz";
    entity_printer printer(at(metadata_level::minimal), "Cities");
    std::string out;
    printer.begin_set(out);
    printer.append_item(out, first.view());
    printer.append_item(out, second.view());
    printer.end_set(out);
    EXPECT_EQ(out, R"j({"odata.metadata":"http://127.0.0.1:10002/acct/$metadata#Cities","value":[)j"
                   R"j({"odata.etag":"W/\"datetime'2021-09-21T01%3A04%3A37.9678478Z'\"","PartitionKey":"at","RowKey":"wien",)j"
                   R"j("Timestamp":"2021-09-21T01:04:37.9678478Z","pop":1900000},)j"
                   R"j({"odata.etag":"W/\"datetime'2021-09-21T01%3A04%3A37.9678478Z'\"","PartitionKey":"at","RowKey":"graz",)j"
                   R"j("Timestamp":"2021-09-21T01:04:37.9678478Z"}]})j");
}

TEST(entity_printer, an_empty_set_is_an_empty_list_each_time) {
    const std::string head = R"({"odata.metadata":"http://127.0.0.1:10002/acct/$metadata#Cities",)";
    for (auto [level, wanted] : {std::pair(metadata_level::none, std::string("{")), std::pair(metadata_level::minimal, head)}) {
        entity_printer printer(at(level), "Cities");
        for (int i = 0; i < 2; ++i) {
            std::string out;
            printer.begin_set(out);
            printer.end_set(out);
            EXPECT_EQ(out, wanted + R"("value":[]})");
        }
    }
}

TEST(entity_printer, items_at_full_level_have_their_links) {
    const sample entity({});
    entity_printer printer(at(metadata_level::full), "Cities");
    std::string out;
    printer.begin_set(out);
    printer.append_item(out, entity.view());
    printer.end_set(out);
    EXPECT_EQ(out, R"j({"odata.metadata":"http://127.0.0.1:10002/acct/$metadata#Cities","value":[{"odata.type":"acct.Cities",)j"
                   R"j("odata.id":"http://127.0.0.1:10002/acct/Cities(PartitionKey='at',RowKey='wien')",)j"
                   R"j("odata.etag":"W/\"datetime'2021-09-21T01%3A04%3A37.9678478Z'\"",)j"
                   R"j("odata.editLink":"Cities(PartitionKey='at',RowKey='wien')","PartitionKey":"at","RowKey":"wien",)j"
                   R"j("Timestamp@odata.type":"Edm.DateTime","Timestamp":"2021-09-21T01:04:37.9678478Z"}]})j");
}

// T95
TEST(entity_printer, a_selection_hides_keys_keeps_the_etag_and_gives_null_for_missing) {
    const sample entity({{"a", value::of_int64(1)}, {"c", value::of_int32(3)}, {"e", value::of_int32(5)}});
    EXPECT_EQ(single(entity, metadata_level::minimal, "pop, c,a,b ,c,zz"),
              R"j({"odata.metadata":"http://127.0.0.1:10002/acct/$metadata#Cities/@Element&$select=pop,%20c,a,b%20,c,zz",)j"
              R"j("odata.etag":"W/\"datetime'2021-09-21T01%3A04%3A37.9678478Z'\"",)j"
              R"j("a@odata.type":"Edm.Int64","a":"1","b":null,"c":3,"pop":null,"zz":null})j");
    EXPECT_EQ(single(entity, metadata_level::none, "e,RowKey,Timestamp,PartitionKey"),
              R"j({"PartitionKey":"at","RowKey":"wien","Timestamp":"2021-09-21T01:04:37.9678478Z","e":5})j");
    EXPECT_EQ(single(entity, metadata_level::none, "RowKey"), R"j({"RowKey":"wien"})j");
    EXPECT_EQ(single(entity, metadata_level::none, ","), "{}");
}

// T96
TEST(entity_printer, a_blank_or_star_selection_is_everything) {
    const sample entity({{"a", value::of_int32(1)}});
    for (auto select : {"", "  ", "*", "a,*"}) {
        EXPECT_EQ(single(entity, metadata_level::none, select),
                  R"j({"PartitionKey":"at","RowKey":"wien","Timestamp":"2021-09-21T01:04:37.9678478Z","a":1})j");
    }
    EXPECT_EQ(single(entity, metadata_level::minimal, " "), single(entity, metadata_level::minimal));
}

TEST(entity_printer, what_came_from_outside_is_escaped_wherever_it_stands) {
    sample entity({{"s", value::of_string("\"\\\n")}});
    entity.partition_key = "a'b\"c d";
    std::string out;
    entity_printer({metadata_level::full, "http://ho\"st/acct", "acct"}, "T", selection("s,\"x"))
        .append_single(out, entity.view());
    EXPECT_EQ(out, R"j({"odata.metadata":"http://ho\"st/acct/$metadata#T/@Element&$select=s,\"x","odata.type":"acct.T",)j"
                   R"j("odata.id":"http://ho\"st/acct/T(PartitionKey='a''b%22c%20d',RowKey='wien')",)j"
                   R"j("odata.etag":"W/\"datetime'2021-09-21T01%3A04%3A37.9678478Z'\"",)j"
                   R"j("odata.editLink":"T(PartitionKey='a''b%22c%20d',RowKey='wien')","\"x":null,"s":"\"\\\n"})j");
}

// T45
TEST(entity_printer, infinities_are_annotated_strings) {
    const sample entity({{"a", value::of_real(INFINITY)}, {"b", value::of_real(-INFINITY)}, {"c", value::of_real(1e300)}});
    const auto text = single(entity, metadata_level::minimal, "a,b,c");
    EXPECT_EQ(text.substr(text.find("\"a@")),
              R"j("a@odata.type":"Edm.Double","a":"Infinity","b@odata.type":"Edm.Double","b":"-Infinity","c":1e+300})j");
}

// T47, T74
TEST(entity_printer, etag_and_timestamp_have_the_same_cut_text) {
    auto etag = [](std::string_view time) { return text_of([&](text_sink& out) { put_etag(out, *base::parse_time(time)); }); };
    EXPECT_EQ(etag("2020-11-07T01:23:13.5774700Z"), "W/\"datetime'2020-11-07T01%3A23%3A13.57747Z'\"");
    EXPECT_EQ(etag("2020-11-07T01:23:13Z"), "W/\"datetime'2020-11-07T01%3A23%3A13Z'\"");
    EXPECT_EQ(etag("2020-11-07T01:23:13.5Z"), tables::etag_text(*base::parse_time("2020-11-07T01:23:13.5Z")));
}

// T41
TEST(entity_printer, what_is_printed_reads_back_as_the_same_entity) {
    entity_parser parser;
    const auto entity = every_type();
    for (auto level : {metadata_level::minimal, metadata_level::full}) {
        const auto again = parser.parse(single(entity, level), entity_body::insert);
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(again->partition_key, "at");
        ASSERT_EQ(again->properties.size(), entity.shape.size());
        for (size_t i = 0; i < again->properties.size(); ++i) {
            EXPECT_EQ(again->properties[i].name, entity.shape[i].name);
            EXPECT_TRUE(identical(again->properties[i].value, entity.view().properties[i].value)) << entity.shape[i].name;
        }
    }
}

// T13, T21
TEST(table_printer, listings_and_single_tables_at_each_level) {
    const std::string metadata = R"("odata.metadata":"http://127.0.0.1:10002/acct/$metadata#Tables)";
    auto links = [](const std::string& name) {
        return R"("odata.type":"acct.Tables","odata.id":"http://127.0.0.1:10002/acct/Tables(')" + name +
               R"j(')","odata.editLink":"Tables(')j" + name + R"j(')",)j";
    };
    const struct {
        metadata_level level;
        std::string set, single;
    } cases[] = {
        {metadata_level::none, R"({"value":[{"TableName":"Cities"},{"TableName":"Orders"}]})", R"({"TableName":"Cities"})"},
        {metadata_level::minimal, "{" + metadata + R"(","value":[{"TableName":"Cities"},{"TableName":"Orders"}]})",
         "{" + metadata + R"(/@Element","TableName":"Cities"})"},
        {metadata_level::full,
         "{" + metadata + R"(","value":[{)" + links("Cities") + R"("TableName":"Cities"},{)" + links("Orders") +
             R"("TableName":"Orders"}]})",
         "{" + metadata + R"(/@Element",)" + links("Cities") + R"("TableName":"Cities"})"},
    };
    for (const auto& c : cases) {
        table_printer printer(at(c.level));
        std::string set;
        printer.begin_set(set);
        printer.append_item(set, "Cities");
        printer.append_item(set, "Orders");
        printer.end_set(set);
        EXPECT_EQ(set, c.set);
        std::string one;
        printer.append_single(one, "Cities");
        EXPECT_EQ(one, c.single);
    }
}

} // namespace

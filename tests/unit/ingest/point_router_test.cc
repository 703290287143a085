#include "ingest/core/point_router.hh"

#include <map>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/placement.hh"
#include "base/spread.hh"
#include "ingest/core/line_protocol.hh"
#include "tables/core/key.hh"

namespace {

using ingest::line_fault;
using ingest::line_step;
using ::testing::ElementsAre;

constexpr unsigned shards_count = 3;
constexpr int64_t now_ns = 1'794'830'400'000'000'000; // 2026-11-16T12:00:00Z

class point_router_test : public ::testing::Test {
protected:
    // Faults of the lines that are points.
    std::vector<line_fault> route(std::string_view input) {
        std::vector<line_fault> faults;
        ingest::line_protocol_parser parser(point);
        while (parser.next(input, ingest::input_end::yes) == line_step::point) {
            faults.push_back(router.route(parser.point(), series, now_ns));
        }
        EXPECT_TRUE(input.empty());
        return faults;
    }

    // Rows as "partition|row|property=value...", by owner, in their order.
    std::vector<std::string> drain() {
        std::vector<ingest::routed_rows> out;
        router.drain(out);
        std::vector<std::string> rows;
        for (const auto& batch : out) {
            const auto reader = tables::row_batch_reader::open(batch.batch);
            EXPECT_TRUE(reader);
            EXPECT_EQ(reader->rows_count(), batch.rows_count);
            for (const auto& row : *reader) {
                EXPECT_EQ(row.kind, tables::row_kind::merge);
                EXPECT_EQ(base::placement().shard_of(row.partition_key, shards_count), batch.owner);
                rows.push_back(tables::uncollate(row.partition_key) + '|' + std::string(row.row_key) + '|');
                for (size_t i = 0; i < row.row.size(); ++i) {
                    rows.back() += std::string(row.row[i].name) + ' ';
                }
            }
        }
        return rows;
    }

    tables::catalog_state catalog;
    ingest::family_index index{catalog, {.account = "us", .spreads = {{"hot", 16}}}};
    ingest::point_router router{index, shards_count, base::placement()};
    ingest::series_cache series{64};
    ingest::point_builder point;
};

TEST_F(point_router_test, a_point_is_a_row_of_its_series_and_time) {
    EXPECT_THAT(route("cpu,host=a,dc=x user=1,idle=2 1794830400000000001"), ElementsAre(line_fault::none));
    EXPECT_THAT(drain(), ElementsAre("dc=x,host=a|251607470399999999998|idle user "));
    EXPECT_THAT(drain(), ElementsAre());
}

TEST_F(point_router_test, a_point_without_a_time_has_that_of_receipt) {
    route("cpu user=1");
    EXPECT_THAT(drain(), ElementsAre("|251607470399999999999|user "));
}

TEST_F(point_router_test, rows_of_one_key_keep_their_order) {
    route("cpu,h=a x=1 7\ncpu,h=a y=2 7\ncpu,h=a x=3 7");
    EXPECT_THAT(drain(), ElementsAre(::testing::EndsWith("|x "), ::testing::EndsWith("|y "), ::testing::EndsWith("|x ")));
}

TEST_F(point_router_test, a_missing_table_is_named_with_the_rows_it_needs) {
    route("cpu user=1 1794830400000000001\nmem used=2 1794830400000000001");
    std::vector<ingest::routed_rows> out;
    router.drain(out);
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(out[0].missing->family, "cpu");
    EXPECT_EQ(out[1].missing->family, "mem");
    const auto copy = ingest::for_table({42}, out[0].batch);
    const auto reader = tables::row_batch_reader::open(copy);
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->table().value, 42u);
    EXPECT_EQ(reader->rows_count(), 1u);
}

// What a parser knows about the names of fields spares the router a look at them, and changes nothing.
TEST_F(point_router_test, names_that_are_known_are_those_of_the_line) {
    const uint64_t seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::string input;
    size_t list = 0;
    for (int i = 0; i < 20'000; ++i) {
        static constexpr const char* lists[] = {"a={0}i,b={1}i",     "b={0}i,a={1}i",      "a={0}i",        "c={0}i,b={1}i",
                                                "a\\ b={0}i,c={1}i", "a={0}i,b={1}i,a=7i", "\xc3\xa4={0}i", "=1i",
                                                "b={0}i,c={1}i,a=3i"};
        // For some lines the same, then another one; and more families than there are places to remember them.
        list = random() % 4 == 0 ? random() % std::size(lists) : list;
        input += fmt::format("m{},host=a ", random() % 8 == 0 ? random() % 200 : random() % 2);
        input += fmt::format(fmt::runtime(lists[list]), i, -i) + fmt::format(" {}\n", i);
    }
    std::vector<std::string> batches[2];
    size_t known_count = 0;
    for (bool is_told : {false, true}) {
        std::string_view rest = input;
        ingest::line_protocol_parser parser(point);
        for (auto step = parser.next(rest); step != line_step::need_more; step = parser.next(rest)) {
            if (step == line_step::point) {
                auto view = parser.point();
                known_count += view.names != 0;
                view.names = is_told ? view.names : 0;
                ASSERT_EQ(router.route(view, series, now_ns), line_fault::none);
            }
        }
        std::vector<ingest::routed_rows> out;
        router.drain(out);
        for (auto& routed : out) {
            batches[is_told].push_back(std::move(routed.batch));
        }
    }
    EXPECT_TRUE(batches[0] == batches[1]);
    EXPECT_GT(known_count, 20'000u);
}

TEST_F(point_router_test, tags_that_the_cache_knows_lead_to_the_same_rows) {
    const uint64_t seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::string input;
    for (int i = 0; i < 3'000; ++i) {
        // Few tag sets, some of them alike up to an escape or a blank.
        static constexpr const char* tag_sets[] = {"",         ",a=b",        ",a=b\\ c",   ",a=b\\ c=d", ",a=b\\",  ",a=b,c=d",
                                                   ",c=d,a=b", ",a=\xc3\xbc", ",a=b\\,c=d", ",a=",        ",a=\xff", ",a=b,a=c"};
        input += fmt::format("m{} f={}i {}\n", tag_sets[random() % std::size(tag_sets)], i, i);
    }
    std::vector<std::string> with[2];
    std::vector<line_fault> faults[2];
    for (bool is_known : {false, true}) {
        std::string_view rest = input;
        ingest::line_protocol_parser parser(point, ingest::time_precision::ns, is_known ? &series : nullptr);
        for (auto step = parser.next(rest); step != line_step::need_more; step = parser.next(rest)) {
            const bool is_point = step == line_step::point;
            faults[is_known].push_back(is_point ? router.route(parser.point(), series, now_ns) : parser.fault().fault);
        }
        with[is_known] = drain();
    }
    EXPECT_EQ(with[0], with[1]);
    EXPECT_EQ(faults[0], faults[1]);
    EXPECT_EQ(faults[0].size(), 3'000u);
}

TEST_F(point_router_test, a_spread_series_goes_to_many_partitions_and_the_same_time_to_the_same) {
    std::map<std::string, int> partitions;
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 200; ++i) {
            route("hot,h=a x=1 " + std::to_string(now_ns + i));
        }
    }
    for (const auto& row : drain()) {
        std::string_view key = std::string_view(row).substr(0, row.find('|'));
        ++partitions[std::string(key)];
        EXPECT_TRUE(base::take_spread_suffix(key));
        EXPECT_EQ(key, "h=a");
    }
    EXPECT_EQ(partitions.size(), 16u);
    for (const auto& [key, count] : partitions) {
        EXPECT_EQ(count % 2, 0) << key;
    }
}

TEST_F(point_router_test, batches_are_cut_before_they_grow_large) {
    for (int i = 0; i < 20'000; ++i) {
        route("cpu,h=a x=1,y=2,z=3 " + std::to_string(now_ns + i));
    }
    std::vector<ingest::routed_rows> out;
    router.drain(out);
    EXPECT_GT(out.size(), 5u);
    size_t rows_count = 0;
    for (const auto& batch : out) {
        EXPECT_LE(batch.batch.size(), ingest::batch_bytes_max + 1024);
        rows_count += batch.rows_count;
    }
    EXPECT_EQ(rows_count, 20'000u);
}

TEST_F(point_router_test, what_is_no_entity_is_refused_and_its_neighbours_are_not) {
    const std::string long_text(32'769, 'x');
    const std::string text(32'768, 'x');
    std::string large = "cpu f=1";
    for (int i = 0; i < 17; ++i) {
        large += ",s" + std::to_string(i) + "=\"" + text + '"';
    }
    EXPECT_THAT(route("cpu s=\"" + text + "\"\ncpu s=\"" + long_text + "\"\n" + large + "\ncpu f=1"),
                ElementsAre(line_fault::none, line_fault::entity_too_large, line_fault::entity_too_large, line_fault::none));
    EXPECT_EQ(drain().size(), 2u);
}

TEST_F(point_router_test, names_and_series_that_do_not_fit_are_refused) {
    EXPECT_THAT(
        route("cpu " + std::string(100, '.') + "=1\ncpu,h=" + std::string(510, 'x') + " f=1\ncpu f=1 1894830400000000000"),
        ElementsAre(line_fault::property_name_too_long, line_fault::series_too_long, line_fault::point_in_future));
    EXPECT_THAT(drain(), ElementsAre());
}

} // namespace

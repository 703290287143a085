#include <gmock/gmock.h>
#include <zlib.h>

#include "base/placement.hh"
#include "tables/core/family/point_key.hh"
#include "tables/core/row_batch.hh"
#include "tests/reactor/ingest/ingest_fixture.hh"

namespace {

using namespace testing_lib;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string gzip(const std::string& text) {
    z_stream stream{};
    ::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(::deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<unsigned>(text.size());
    stream.next_out = reinterpret_cast<unsigned char*>(out.data());
    stream.avail_out = static_cast<unsigned>(out.size());
    ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
}

std::string lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += fmt::format("cpu,host=h{} v={}i {}\n", i % 50, i, noon_ns + i);
    }
    return text;
}

TEST_F(ingest_http_test, what_is_answered_is_there_to_be_read) {
    EXPECT_EQ(status_of(post("cpu,host=a v=1.5,up=t,n=3i 1794830400000000001\n")), "HTTP/1.1 204 No Content");
    EXPECT_THAT(rows_of("cpu20261116"), ElementsAre("host=a|251607470399999999998|n=l3,up=true,v=d1.5,"));
}

TEST_F(ingest_http_test, every_row_is_written_once) {
    ASSERT_THAT(post(lines(5'000)), HasSubstr("204"));
    EXPECT_EQ(rows_of("cpu20261116").size(), 5'000u);
    const auto written = intake
                             .map_reduce0([](ingest::intake& in) { return in.counts(ingest::protocol::line_http).points; },
                                          uint64_t(0), std::plus())
                             .get();
    EXPECT_EQ(written, 5'000u);
    const auto appended =
        (*engine)
            ->container()
            .map_reduce0([](tables::engine& e) { return e.log_counters().payload_bytes; }, uint64_t(0), std::plus())
            .get();
    EXPECT_LT(appended, 5'000u * 80) << "a row is about 45 bytes";
}

TEST_F(ingest_http_test, bad_lines_are_named_and_the_good_ones_kept) {
    const auto reply = post("cpu v=1i 5\ncpu,host v=2i 5\n\ncpu v=3i 6 7\ncpu v=4i 8\n");
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(reply, HasSubstr(R"({"line":2,"reason":"a tag has no value"})"));
    EXPECT_THAT(reply, HasSubstr(R"({"line":4,"reason":)"));
    EXPECT_THAT(reply, HasSubstr(R"("rejected":2)"));
    EXPECT_EQ(rows_of("cpu19700101").size(), 2u);
    EXPECT_EQ(rejected(ingest::protocol::line_http, ingest::line_fault::missing_tag_value), 1u);
}

TEST_F(ingest_http_test, lines_that_have_no_place_are_named_too) {
    const auto reply = post(fmt::format("cpu v=1i {}\ncpu v=1i\n", noon_ns + 25 * ns_per_hour));
    EXPECT_THAT(reply, HasSubstr(R"("lines":[{"line":1,"reason":"the time is more than a day ahead"}])"));
    EXPECT_EQ(rows_of("cpu20261116").size(), 1u);
}

TEST_F(ingest_http_test, fields_of_one_series_and_time_are_one_row_whatever_the_order_of_tags) {
    ASSERT_THAT(post("cpu,a=1,b=2 x=1i 5\ncpu,b=2,a=1 y=2i 5\ncpu,a=1,b=2 x=3i 5"), HasSubstr("204"));
    ASSERT_THAT(post("cpu,a=1,b=2 z=4i 5"), HasSubstr("204"));
    EXPECT_THAT(rows_of("cpu19700101"), ElementsAre("a=1,b=2|253402300799999999994|x=l3,y=l2,z=l4,"));
}

TEST_F(ingest_http_test, names_that_keys_cannot_hold_are_escaped) {
    ASSERT_THAT(post("disk,path=/var,fs=a#b http.code=200i 5"), HasSubstr("204"));
    EXPECT_THAT(rows_of("disk19700101"), ElementsAre(StartsWith("fs=a%23b,path=%2Fvar|")));
    EXPECT_THAT(rows_of("disk19700101"), ElementsAre(HasSubstr("|http_x002E_code=l200,")));
}

TEST_F(ingest_http_test, a_body_may_come_in_any_pieces) {
    const auto text = lines(300);
    raw_client client(server);
    client.send("POST /api/v2/write?precision=ns HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (size_t at = 0; at < text.size(); at += 7) {
        const auto piece = text.substr(at, 7);
        client.send(fmt::format("{:x}\r\n{}\r\n", piece.size(), piece));
    }
    client.send("0\r\n\r\n");
    EXPECT_EQ(status_of(client.reply()), "HTTP/1.1 204 No Content");
    EXPECT_EQ(rows_of("cpu20261116").size(), 300u);
}

TEST_F(ingest_http_test, a_body_may_be_compressed) {
    EXPECT_THAT(post(gzip(lines(20'000)), "/write", "Content-Encoding: gzip\r\n"), HasSubstr("204"));
    EXPECT_EQ(rows_of("cpu20261116").size(), 20'000u);
    EXPECT_THAT(post("cpu v=1", "/write", "Content-Encoding: gzip\r\n"), HasSubstr("not valid gzip"));
    EXPECT_THAT(post(gzip(lines(20)).substr(0, 60), "/write", "Content-Encoding: gzip\r\n"), HasSubstr("has no end"));
    EXPECT_THAT(post("cpu v=1", "/write", "Content-Encoding: br\r\n"), StartsWith("HTTP/1.1 415"));
}

TEST_F(ingest_http_test, precision_is_the_unit_of_times) {
    ASSERT_THAT(post("cpu v=1i 1794830400", "/write?precision=s&db=x&rp=y"), HasSubstr("204"));
    ASSERT_THAT(post("cpu v=1i 498564", "/write?precision=h"), HasSubstr("204"));
    EXPECT_THAT(rows_of("cpu20261116"), ElementsAre("|251607470399999999999|v=l1,"));
    EXPECT_THAT(post("cpu v=1i 5", "/write?precision=days"), StartsWith("HTTP/1.1 400"));
}

TEST_F(ingest_http_test, a_client_that_breaks_off_has_stored_its_whole_lines_only) {
    raw_client client(server);
    client.send("POST /write HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\ncpu v=1i 5\ncpu v=2");
    client.stop_sending();
    client.rest();
    EXPECT_THAT(rows_of("cpu19700101"), ElementsAre("|253402300799999999994|v=l1,"));
}

TEST_F(ingest_http_test, a_full_disk_is_said_to_be_one_until_there_is_space) {
    ASSERT_THAT(post(lines(10)), HasSubstr("204"));
    disk.fill();
    std::string reply;
    for (int i = 0; i < 500 && !reply.contains("507"); ++i) {
        reply = post(lines(2'000));
    }
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 507"));
    EXPECT_THAT(reply, HasSubstr(R"("code":"out_of_space")"));
    disk.set_capacity(uint64_t{4} << 30);
    EXPECT_THAT(post(lines(2'000)), HasSubstr("204"));
}

// Who tries again then stores what can be stored, and loses only the rest.
TEST_F(ingest_http_test, what_may_work_later_is_told_before_what_never_will) {
    ASSERT_THAT(post("cpu,host=a v=1i"), HasSubstr("204"));
    const std::string series = "host=a";
    const std::vector<tables::property> fields{{"v", tables::value::of_int64(1)}};
    tables::row_batch_builder good((*engine)->catalog().find("account", "cpu20261116")->id);
    tables::row_batch_builder lost(base::table_id{999});
    for (int64_t i = 0; i < 1'000; ++i) {
        good.add(tables::row_kind::merge, series, tables::view(tables::point_key(noon_ns + 1'000 - i)), fields);
    }
    lost.add(tables::row_kind::merge, series, tables::view(tables::point_key(noon_ns)), fields);
    const std::vector<std::string> batches{lost.take(), good.take()};
    const auto owner = base::placement().shard_of(series, seastar::smp::count);
    const auto failure = [&] { return intake.local().upsert(owner, batches).get().error().code; };
    ASSERT_EQ(failure(), base::errc::table_not_found);
    disk.fill();
    auto last = failure();
    for (int i = 0; i < 2'000 && last == base::errc::table_not_found; ++i) {
        last = failure();
    }
    EXPECT_EQ(last, base::errc::out_of_space);
    disk.set_capacity(uint64_t{4} << 30);
}

} // namespace

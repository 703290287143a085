// The parser says about any bytes what the slow reference says, in one piece and cut in two anywhere.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ingest/core/line_protocol.hh"
#include "tests/unit/ingest/line_protocol_reference.hh"
#include "tests/unit/ingest/line_trace.hh"

namespace {

constexpr auto describe = [](ingest::line_protocol_parser& parser, ingest::line_step) {
    return ingest_test::point_text(parser.point());
};

void require_equal(const std::vector<std::string>& left, const std::vector<std::string>& right) {
    if (left != right) {
        for (const auto& text : left) {
            std::fprintf(stderr, "< %s\n", text.c_str());
        }
        for (const auto& text : right) {
            std::fprintf(stderr, "> %s\n", text.c_str());
        }
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    // The first byte says where to cut.
    const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
    const size_t cut = input.size() * data[0] / 256;

    ingest::point_builder point;
    ingest::line_protocol_parser whole(point, ingest::time_precision::ms);
    ingest_test::line_trace in_one_piece(whole, describe);
    in_one_piece.feed(input, ingest::input_end::yes);
    require_equal(in_one_piece.said, ingest_test::line_protocol_reference(1'000'000).read(input));

    ingest::line_protocol_parser halves(point, ingest::time_precision::ms);
    ingest_test::line_trace in_two_pieces(halves, describe);
    in_two_pieces.feed(std::string_view(input).substr(0, cut), ingest::input_end::no);
    in_two_pieces.feed(std::string_view(input).substr(cut), ingest::input_end::yes);
    require_equal(in_two_pieces.said, in_one_piece.said);
    return 0;
}

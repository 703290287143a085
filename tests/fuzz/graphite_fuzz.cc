// Any bytes are points or bad lines, and the same ones when they come in two pieces.
#include <cstdint>
#include <cstdlib>

#include "ingest/core/graphite.hh"
#include "tests/unit/ingest/line_trace.hh"

namespace {

constexpr auto describe = [](ingest::graphite_parser& parser, ingest::line_step) {
    return ingest_test::point_text(parser.point());
};

std::vector<std::string> read(std::string_view first, std::string_view second) {
    ingest::point_builder point;
    ingest::graphite_parser parser(point);
    ingest_test::line_trace trace(parser, describe);
    trace.feed(first, ingest::input_end::no);
    trace.feed(second, ingest::input_end::yes);
    return trace.said;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    // The first byte says where to cut.
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    const size_t cut = input.size() * data[0] / 256;
    if (read({}, input) != read(input.substr(0, cut), input.substr(cut))) {
        std::abort();
    }
    return 0;
}

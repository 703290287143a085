// Any bytes are points, records or bad lines, and the same ones when they come in two pieces, through what joins them in a
// stream; also behind so many blanks that the line is as long as one may be.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "ingest/core/limits.hh"
#include "ingest/core/line_carry.hh"
#include "tests/unit/ingest/json_trace.hh"

namespace {

std::vector<std::string> read(std::string_view first, std::string_view second, ingest::json_arrays arrays) {
    ingest_test::json_trace trace("default", arrays);
    trace.feed(first, ingest::input_end::no);
    trace.feed(second, ingest::input_end::yes);
    return trace.said();
}

std::vector<std::string> read_carried(std::string_view first, std::string_view second, ingest::json_arrays arrays) {
    ingest::point_builder point;
    ingest::record_builder record;
    ingest::json_reader reader(point, record);
    ingest::json_lines_parser parser(reader, "default", arrays);
    ingest::line_carry carry;
    std::vector<std::string> said;
    const auto take = [&](std::string_view& rest, ingest::input_end end) {
        for (auto step = parser.next(rest, end); step != ingest::line_step::need_more; step = parser.next(rest, end)) {
            said.push_back(step == ingest::line_step::bad_line ? ingest_test::fault_text(parser.fault())
                                                               : ingest_test::json_text(parser, step));
        }
    };
    carry.feed(first, take);
    carry.feed(second, take);
    carry.finish(take);
    return said;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    // The first byte says where to cut.
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    const size_t cut = input.size() * data[0] / 256;
    for (const auto arrays : {ingest::json_arrays::refused, ingest::json_arrays::taken}) {
        const auto whole = read({}, input, arrays);
        if (whole != read(input.substr(0, cut), input.substr(cut), arrays) ||
            whole != read_carried(input.substr(0, cut), input.substr(cut), arrays)) {
            std::abort();
        }
    }
    if (data[0] == 0xff) { // not always: it takes a while
        const std::string late =
            std::string(ingest::line_bytes_max - std::min(cut, ingest::line_bytes_max), ' ') + std::string(input);
        for (const auto arrays : {ingest::json_arrays::refused, ingest::json_arrays::taken}) {
            read_carried(std::string_view(late).substr(0, late.size() - input.size() / 2),
                         std::string_view(late).substr(late.size() - input.size() / 2), arrays);
        }
    }
    return 0;
}

// Any bytes are points, records or bad lines, and the same ones when they come in two pieces.
#include <cstdint>
#include <cstdlib>

#include "tests/unit/ingest/json_trace.hh"

namespace {

std::vector<std::string> read(std::string_view first, std::string_view second, ingest::json_arrays arrays) {
    ingest_test::json_trace trace("default", arrays);
    trace.feed(first, ingest::input_end::no);
    trace.feed(second, ingest::input_end::yes);
    return trace.said();
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
        if (read({}, input, arrays) != read(input.substr(0, cut), input.substr(cut), arrays)) {
            std::abort();
        }
    }
    return 0;
}

// The same bytes in one piece and cut at random places must be understood the same way, refusals included. The first two
// bytes seed the cuts and pick the limits: small ones make every limit reachable in a short input.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "http/core/percent.hh"
#include "http/core/query_string.hh"
#include "tests/unit/http/request_trace.hh"

static void check_target(std::string_view text) {
    if (auto decoded = http::percent_decode(text); decoded && *http::percent_decode(http::percent_encode(*decoded)) != *decoded) {
        std::abort();
    }
    if (auto query = http::query_string::parse(text); query && query->all().size() > http::query_string::parameters_max) {
        std::abort();
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2) {
        return 0;
    }
    const std::string_view stream(reinterpret_cast<const char*>(data) + 2, size - 2);
    check_target(stream);

    http::parse_limits limits;
    if (data[1] & 1) {
        limits = {.request_line_bytes_max = 48, .header_block_bytes_max = 96, .header_fields_max = 3};
    }
    const auto whole = testing_lib::trace(stream, limits);

    std::minstd_rand random(data[0] * 256u + data[1]);
    testing_lib::request_trace cut(limits);
    for (size_t at = 0; at < stream.size();) {
        const size_t length = std::min<size_t>(1 + random() % (random() % 4 ? 4 : 64), stream.size() - at);
        if (!cut.feed(stream.substr(at, length))) {
            break;
        }
        at += length;
    }
    // An unfinished body is not in the trace; everything that was finished or refused is.
    if (whole != cut.text()) {
        std::fprintf(stderr, "whole:\n%s\ncut:\n%s\n", whole.c_str(), cut.text().c_str());
        std::abort();
    }
    return 0;
}

// Everything a parser says about an input, and the same input cut into pieces as a connection would bring it.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/core/line_fault.hh"
#include "ingest/core/line_step.hh"
#include "tests/unit/ingest/point_text.hh"

namespace ingest_test {

// Parser: next(rest, end), fault(), and what `describe(parser, step)` asks for.
template <class Parser, class Describe>
class line_trace {
public:
    line_trace(Parser& parser, Describe describe) : _parser(parser), _describe(describe) {}

    // From memory of exactly the right size, so that a read beyond it is noticed, and at another place each time.
    void feed(std::string_view piece, ingest::input_end end) {
        std::vector<char> bytes(_kept.begin(), _kept.end());
        bytes.insert(bytes.end(), piece.begin(), piece.end());
        const std::vector<char> exact(bytes.begin(), bytes.end());
        std::string_view rest(exact.data(), exact.size());
        for (;;) {
            const auto step = _parser.next(rest, end);
            if (step == ingest::line_step::need_more) {
                break;
            }
            said.push_back(step == ingest::line_step::bad_line ? fault_text(_parser.fault()) : _describe(_parser, step));
        }
        _kept = rest;
    }

    std::vector<std::string> said;

    // What the parser asked to be given again.
    const std::string& kept() const { return _kept; }

private:
    Parser& _parser;
    Describe _describe;
    std::string _kept;
};

// In pieces of random sizes, small ones more often.
template <class Trace>
void feed_in_pieces(Trace& trace, std::string_view input, std::mt19937_64& random) {
    while (!input.empty()) {
        const size_t size = std::min<size_t>(input.size(), random() % (size_t{1} << (random() % 8)) + 1);
        trace.feed(input.substr(0, size), ingest::input_end::no);
        input.remove_prefix(size);
    }
    trace.feed({}, ingest::input_end::yes);
}

} // namespace ingest_test

// Any bytes as a filter: the first chooses the dialect. What parses must print and parse to the same filter, mean the same to
// the program as to the plain oracle, and match only rows inside its key ranges.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "query/core/entity_matcher.hh"
#include "query/core/filter_parser.hh"
#include "query/core/key_range.hh"
#include "tests/unit/query/filter_oracle.hh"
#include "tests/unit/query/filter_text.hh"
#include "tests/unit/query/random_filter.hh"

namespace {

void require(bool law) {
    if (!law) {
        std::abort();
    }
}

// `not` as a name can stand only behind its literal, where it is never printed; a pattern would have the oracle compile again.
bool is_simple(const query::filter& f) {
    return std::ranges::none_of(f.postfix(), [&f](const query::node& n) {
        const bool has_subject = query::is_condition(n.kind) && n.kind != query::node_kind::constant;
        return n.kind == query::node_kind::matches_pattern || (has_subject && f.subject_of(n).name == "not");
    });
}

const std::vector<query_test::test_entity>& entities() {
    static const auto made = [] {
        query_test::random_bits random(1);
        std::vector<query_test::test_entity> rows;
        for (int i = 0; i < 8; ++i) {
            rows.push_back(query_test::random_entity(random));
        }
        return rows;
    }();
    return made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const auto dialect = data[0] % 2 == 0 ? query::dialect::table_service : query::dialect::native;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto parsed = query::parse_filter(text, dialect, 1'794'821'400'000'000'000);
    if (!parsed) {
        require(!parsed.error().message.empty() && parsed.error().position <= text.size());
        return 0;
    }
    const bool is_comparable = is_simple(*parsed);
    if (is_comparable) {
        const auto again = query::parse_filter(query_test::filter_text(*parsed, dialect), dialect);
        require(again ? *again == *parsed : again.error().code == query::filter_errc::too_large);
    }
    const auto program = query::program::compile(*parsed);
    if (!program) {
        return 0;
    }
    query::entity_matcher matcher(*program);
    const auto ranges = query::key_ranges_of(*parsed);
    for (const auto& entity : entities()) {
        const auto row = entity.view();
        const bool is_match = matcher.matches(row);
        require(!is_comparable || is_match == query_test::oracle_matches(*parsed, row));
        require(!is_match ||
                std::ranges::any_of(ranges, [&row](const auto& r) { return r.contains(row.partition_key, row.row_key); }));
    }
    return 0;
}

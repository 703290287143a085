// A filter of the Table service as the predicate of a scan.
#pragma once

#include "query/core/entity_matcher.hh"
#include "query/core/filter_parser.hh"
#include "tables/scan.hh"

namespace testing_lib {

class filter_predicate final : public tables::predicate_source {
public:
    explicit filter_predicate(std::string_view text)
        : _program(query::program::compile(query::parse_filter(text, query::dialect::table_service).value()).value()) {}

    std::unique_ptr<tables::row_predicate> make() const override { return std::make_unique<on_a_shard>(_program); }

private:
    struct on_a_shard final : tables::row_predicate {
        explicit on_a_shard(const query::program& p) : matcher(p) {}
        bool matches(const tables::entity_view& e) override { return matcher.matches(e); }
        bool can_match(const tables::segment_view& s, size_t block) const override { return matcher.can_match(s, block); }

        query::entity_matcher matcher;
    };

    query::program _program;
};

} // namespace testing_lib

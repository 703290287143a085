// Results of an aggregator -> rows of an answer.
#pragma once

#include <vector>

#include "query/core/native/aggregator.hh"
#include "query/core/native/answer_row.hh"

namespace query {

class aggregate_decoder {
public:
    // Must outlive it.
    explicit aggregate_decoder(const aggregator& sums) : _sums(sums) {}

    // Valid until the next call.
    answer_row decode(const aggregator::cell_map::value_type& cell) {
        _sums.tell(cell, _result);
        _tags.clear();
        for (const auto& [name, value] : _result.tags) {
            _tags.push_back({name, value});
        }
        _fields.clear();
        for (const auto& [label, value] : _result.fields) {
            _fields.push_back({label, value.value()});
        }
        return {_result.time_ns, nullptr, {}, _tags, _fields};
    }

private:
    const aggregator& _sums;
    aggregator::result _result;
    std::vector<tables::tag> _tags;
    std::vector<tables::property> _fields;
};

} // namespace query

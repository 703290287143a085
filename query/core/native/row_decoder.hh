// Stored rows -> rows of an answer: partition keys become tags, property names field names, and only what was selected stays.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "query/core/native/answer_row.hh"
#include "query/core/native/plan.hh"
#include "query/core/native/row_collector.hh"
#include "query/core/native/series_tags.hh"

namespace query {

class row_decoder {
public:
    // The plan must outlive it.
    explicit row_decoder(const plan&);

    // Valid until the next call; the row must live as long.
    answer_row decode(const found_row&);

private:
    struct field_plan {
        bool is_selected;
        bool is_head;
        std::string name; // of the field
    };
    // A shape is known again by what it is: where it lies there may be another one the next time.
    struct shape_plan {
        tables::shape shape;
        std::vector<field_plan> fields;
    };

    bool selects(name_scope, std::string_view name) const;
    const std::vector<field_plan>& plan_for(const tables::shape&, origin_kind);
    void add_keys(const found_row&);
    static tables::value shown(const field_plan&, const tables::value&);

    const plan& _plan;
    series_tags _series;
    uint32_t _series_part = UINT32_MAX;
    std::vector<tables::tag> _tags;
    std::vector<tables::property> _head;
    std::vector<tables::property> _fields;
    std::map<std::pair<uint64_t, origin_kind>, shape_plan> _plans; // by the hash of the shape
    std::string _partition_key, _row_key;                          // scratch
};

} // namespace query

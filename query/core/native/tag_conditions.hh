// What of a filter can be looked up by the tags of series; the same for an index of them and for its digest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/checksum.hh"
#include "query/core/filter_ast.hh"
#include "query/core/native/origin.hh"

namespace query {

// Series with the same names of tags are of one kind. With more kinds, names without a scope are not looked up: each kind costs
// every such question.
constexpr size_t series_kinds_max = 256;

inline uint64_t tag_hash(std::string_view name, std::string_view value) {
    return base::checksum64(value, base::stable_hash(name));
}

// A name that never is a tag, whatever the tags are.
inline bool is_never_tag(const subject& s) {
    return s.scope == name_scope::field ||
           (s.scope == name_scope::any && (s.name == "time" || s.name == "level" || s.name == name(origin_kind::family)));
}

// That a tag has a value. Without a scope it may also be about a field of series that have no such tag.
inline bool is_tag_condition(const filter& where, const node& n) {
    return n.kind == node_kind::compare && n.op == comparison::eq && !is_never_tag(where.subject_of(n)) &&
           where.literal_of(n).type() == tables::value_type::string;
}

} // namespace query

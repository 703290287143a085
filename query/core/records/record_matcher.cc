#include "query/core/records/record_matcher.hh"

namespace query {

using tables::value;

record_matcher::meaning record_matcher::meaning_of(const subject& s) {
    if (s.scope == name_scope::tag) {
        return meaning::nothing;
    }
    if (s.scope == name_scope::field) {
        return meaning::field;
    }
    return s.name == "time"      ? meaning::time
           : s.name == "source"  ? meaning::source
           : s.name == "level"   ? meaning::level
           : s.name == "host"    ? meaning::host
           : s.name == "app"     ? meaning::app
           : s.name == "message" ? meaning::message
                                 : meaning::field;
}

record_matcher::record_matcher(const program& p, const origin& o) : _program(p), _origin(o) {
    for (const auto& s : p.slots()) {
        _bindings.push_back({meaning_of(s), s.name});
    }
}

struct record_matcher::slots {
    const record_matcher& of;
    const blobs::record& record;

    static std::optional<value> unless_empty(std::string_view text) {
        return text.empty() ? std::nullopt : std::optional(value::of_string(text));
    }
    std::optional<value> field(std::string_view name) const {
        for (const auto& f : record.fields) {
            if (f.name == name) {
                return f.value;
            }
        }
        return std::nullopt;
    }
    std::optional<value> value_of(size_t slot) const {
        const auto& b = of._bindings[slot];
        switch (b.what) {
        case meaning::time: return value::of_int64(record.order.time_ns);
        case meaning::source: return value::of_string(of._origin.name);
        case meaning::level:
            return record.level == blobs::level_none ? std::nullopt : std::optional(value::of_int32(record.level));
        case meaning::host: return unless_empty(record.host);
        case meaning::app: return unless_empty(record.app);
        case meaning::message: return value::of_string(record.message);
        case meaning::field: return field(b.name);
        case meaning::nothing: break;
        }
        return std::nullopt;
    }
};

bool record_matcher::matches(const blobs::record& r) const {
    slots row{*this, r};
    return _program.matches(row);
}

} // namespace query

#include "query/core/native/damage.hh"

#include "query/core/native/json_text.hh"
#include "query/core/time_text.hh"
#include "tables/core/key.hh"

namespace query {
namespace {

void append_text_member(std::string_view name, std::string_view text, std::string& out) {
    out += out.back() == '{' ? "" : ",";
    append_json_string(name, out);
    out += ':';
    append_json_string(text, out);
}

void append_json(const damaged_range& d, std::string& out) {
    out += '{';
    append_text_member(d.blob.empty() ? "table" : "blob", d.blob.empty() ? d.table : d.blob, out);
    if (d.times.start_ns != time_range::always) {
        append_text_member("start", time_text(d.times.start_ns), out);
    }
    if (d.times.end_ns != time_range::forever) {
        append_text_member("end", time_text(d.times.end_ns), out);
    }
    if (d.blob.empty() && !(d.first_partition.empty() && d.last_partition.empty())) {
        out += ",\"partitions\":[";
        append_json_string(d.first_partition, out);
        out += ',';
        append_json_string(d.last_partition, out);
        out += ']';
    }
    append_text_member("why", d.why, out);
    out += '}';
}

} // namespace

damaged_range range_of(const table_part& part, const tables::damaged_keys& lost) {
    constexpr int64_t ns_per_tick = 100;
    damaged_range range;
    range.table = part.table;
    range.times = part.covers;
    range.why = lost.why.detail;
    if (lost.newest && lost.oldest) {
        range.times = range.times.common({base::unix_ns(*lost.oldest), base::unix_ns(*lost.newest) + ns_per_tick});
    }
    range.first_partition = tables::uncollate(lost.keys.from.partition_key);
    if (lost.keys.before) {
        range.last_partition = tables::uncollate(lost.keys.before->partition_key);
    }
    return range;
}

void append_json_damage(std::span<const damaged_range> ranges, std::string& out) {
    out += '[';
    for (const auto& r : ranges) {
        out += out.back() == '[' ? "" : ",";
        append_json(r, out);
    }
    out += ']';
}

} // namespace query

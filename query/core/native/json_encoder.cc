#include "query/core/native/json_encoder.hh"

#include <utility>

#include <fmt/format.h>

#include "query/core/native/json_text.hh"
#include "query/core/time_text.hh"

namespace query {
namespace {

void append_time(std::optional<int64_t> time_ns, std::string& out) {
    if (!time_ns) {
        out += "null";
        return;
    }
    char text[time_text_bytes_max + 2];
    text[0] = '"';
    char* end = write_time_ns(*time_ns, text + 1);
    *end++ = '"';
    out.append(text, end);
}

void append_member(std::string_view name, const tables::value& v, std::string& out) {
    append_json_string(name, out);
    out += ':';
    append_json_value(v, out);
}

template <class Items, class Print>
void append_object(std::string_view name, const Items& items, Print print, std::string& out) {
    out += ",\"";
    out += name;
    out += "\":{";
    bool is_first = true;
    for (const auto& item : items) {
        if (!std::exchange(is_first, false)) {
            out += ',';
        }
        print(item);
    }
    out += '}';
}

class json_encoder final : public encoder {
public:
    void add(const answer_row& row, std::string& out) override {
        out += std::exchange(_is_begun, true) ? ",\n" : "{\"rows\":[\n";
        append_json_row(row, out);
    }
    void finish(const answer_facts& facts, std::string& out) override {
        out += _is_begun ? "\n]," : "{\"rows\":[],";
        append_json_facts(facts, out);
        out += "}\n";
    }

private:
    bool _is_begun = false;
};

class ndjson_encoder final : public encoder {
public:
    void add(const answer_row& row, std::string& out) override {
        append_json_row(row, out);
        out += '\n';
    }
    void finish(const answer_facts&, std::string&) override {}
};

} // namespace

void append_json_row(const answer_row& row, std::string& out) {
    out += "{\"time\":";
    append_time(row.time_ns, out);
    if (row.from != nullptr) {
        out += ',';
        append_member(name(row.from->kind), tables::value::of_string(row.from->name), out);
    }
    for (const auto& p : row.head) {
        out += ',';
        append_member(p.name, p.value, out);
    }
    if (row.from == nullptr || row.from->kind == origin_kind::family) {
        append_object(
            "tags", row.tags, [&](const tables::tag& t) { append_member(t.name, tables::value::of_string(t.value), out); }, out);
    }
    append_object("fields", row.fields, [&](const tables::property& p) { append_member(p.name, p.value, out); }, out);
    out += '}';
}

void append_json_facts(const answer_facts& facts, std::string& out) {
    const auto& [start, end] = facts.range;
    out += "\"start\":";
    append_time(start == time_range::always ? std::nullopt : std::optional(start), out);
    out += ",\"end\":";
    append_time(end == time_range::forever ? std::nullopt : std::optional(end), out);
    fmt::format_to(std::back_inserter(out), ",\"rows_examined\":{},\"rows_skipped\":{}", facts.rows_examined, facts.rows_skipped);
    if (facts.percentile_error > 0) {
        fmt::format_to(std::back_inserter(out), ",\"percentile_error\":{}", facts.percentile_error);
    }
    if (!facts.damage.empty()) {
        out += ",\"damaged\":";
        append_json_damage(facts.damage, out);
    }
    out += ",\"cursor\":";
    if (facts.cursor.empty()) {
        out += "null";
    } else {
        append_json_string(facts.cursor, out);
    }
}

std::unique_ptr<encoder> make_json_encoder() {
    return std::make_unique<json_encoder>();
}

std::unique_ptr<encoder> make_ndjson_encoder() {
    return std::make_unique<ndjson_encoder>();
}

} // namespace query

// One JSON object as a point or a record.
//
//   point    {"family":"cpu","time":...,"tags":{"host":"a"},"fields":{"user":12.5}}
//   record   {"source":"web","time":...,"level":"warn","host":...,"app":...,"message":"...", anything else}
//
// What has a member "family" is a point. Times are Unix times by their digits (unix_time.hh), as numbers or texts, or RFC 3339;
// without one it is the time of receipt. An integer is stored as Int64, a number with a point or an exponent as Double. A null
// is as good as no member. A tag may be a number or a boolean, which then is its text; an empty tag is no tag. A point has no
// other members than these.
//
// What else a record has are its fields; objects in it become names with points ("http":{"status":200} is http.status), except
// that what is in an object "fields" keeps its names; arrays become their JSON text. A level is one of the names of the filter
// language or 0..7; another one becomes a field.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ingest/core/line_fault.hh"
#include "ingest/core/line_step.hh"
#include "ingest/core/point_builder.hh"
#include "ingest/core/record_builder.hh"

namespace simdjson::dom {
class element;
class object;
class parser;
} // namespace simdjson::dom

namespace ingest {

// Objects and arrays inside one another, the outermost counted. Bounds the parser's stack of them and the length of names.
constexpr size_t json_depth_max = 32;

// Owns the memory of a JSON parser, about 14 times the longest text it is kept for; so share one.
class json_reader {
public:
    // Both outlive the reader.
    json_reader(point_builder&, record_builder&);
    ~json_reader();

    // Fills a builder and says which: point or record; or bad_line, and fault() says why. What was filled is good until the
    // next call. `readable_behind` bytes behind the text can be read, too: they have no influence, but enough of them spare a
    // copy.
    line_step read(std::string_view text, size_t readable_behind);
    line_fault fault() const { return _fault; }

    // Of a record that was read: the source it names becomes a field, unless it is this one or there is such a field.
    void move_source_to_fields(std::string_view source);

    const point_view& point() { return _point.finish(); }
    const record_view& record() { return _record.finish(); }

private:
    line_fault parse(std::string_view text, size_t readable_behind, simdjson::dom::object& object);
    line_fault read_point(const simdjson::dom::object&);
    line_fault read_point_member(std::string_view name, const simdjson::dom::element&);
    line_fault read_tags(const simdjson::dom::element&);
    line_fault read_fields(const simdjson::dom::element&);
    line_fault read_record(const simdjson::dom::object&);
    line_fault read_record_member(std::string_view name, const simdjson::dom::element&);
    line_fault add_record_fields(std::string_view prefix, const simdjson::dom::object&);
    line_fault add_record_field(std::string_view name, const simdjson::dom::element&);
    line_fault read_level(const simdjson::dom::element&);

    point_builder& _point;
    record_builder& _record;
    std::unique_ptr<simdjson::dom::parser> _parser;
    std::string _padded; // a text that has too little behind it to be read where it is
    line_fault _fault = line_fault::none;
};

} // namespace ingest

// JSON lines: one object a line, a point or a record each (json_reader.hh). Blank lines are skipped. Where that is allowed, an
// array of such objects is taken as well, and objects over several lines; those count as lines then.
#pragma once

#include <string>
#include <string_view>

#include "ingest/core/json_array_splitter.hh"
#include "ingest/core/json_reader.hh"
#include "ingest/core/line_fault.hh"
#include "ingest/core/line_splitter.hh"
#include "ingest/core/line_step.hh"

namespace ingest {

enum class json_arrays : uint8_t { refused, taken };

class json_lines_parser {
public:
    // The reader outlives the parser and may serve others, too. All records are of the given source, and one that they name is a
    // field; where none is given, a record that names none is at fault.
    explicit json_lines_parser(json_reader& reader, std::string source = {}, json_arrays arrays = json_arrays::refused)
        : _reader(reader), _source(std::move(source)), _is_form_known(arrays == json_arrays::refused) {}

    // As line_protocol_parser::next(); also returns record.
    line_step next(std::string_view& rest, input_end end = input_end::no);

    // After point and record. Borrow from the reader and from the bytes of next(); good until those are used again.
    const point_view& point() { return _reader.point(); }
    record_view record() const;
    uint64_t line() const { return _line; }
    const bad_line& fault() const { return _fault; }

private:
    // Whether it is told by these bytes, which do not begin with a blank; if so, it is known then.
    bool find_form(std::string_view rest, input_end end);
    line_step next_line(std::string_view& rest, input_end end);
    line_step next_element(std::string_view& rest, input_end end);
    // The text is one object, good or not.
    line_step read(std::string_view text, uint64_t number, size_t readable_behind);

    json_reader& _reader;
    std::string _source;
    bool _is_form_known; // lines, an array or documents: the first line tells
    std::optional<json_array_splitter> _array;
    line_splitter _lines;
    uint64_t _line = 0;     // of the last point or record
    std::string_view _text; // of the line
    bad_line _fault;
};

} // namespace ingest

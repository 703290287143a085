// Elements of a JSON array, as they become complete: `[{...}, {...}]`, or documents one behind the other: `{...} {...}`. Only
// strings and brackets are followed; whether an element is good is for who reads it. One longer than line_bytes_max is reported
// and skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/core/line_fault.hh"
#include "ingest/core/line_step.hh"

namespace ingest {

class json_array_splitter {
public:
    struct element {
        std::string_view text;
        uint64_t number = 0; // from 1
        line_fault fault = line_fault::none;
    };

    enum class form : uint8_t { array, documents };
    explicit json_array_splitter(form f = form::array) : _stage(f == form::array ? stage::before : stage::between) {}

    // Takes the next element off the front of `rest`. Nothing: it is not all there; come back with the same bytes and more behind
    // them. An array that does not go on as one is reported once, and all behind it dropped.
    std::optional<element> next(std::string_view& rest, input_end end);

private:
    enum class stage : uint8_t { before, first, element, behind_element, behind, between, given_up }; // between documents

    // To where an element begins. Nothing: the bytes ran out, or that is it.
    std::optional<element> find_element(std::string_view& rest, input_end end);
    std::optional<element> take_element(std::string_view& rest, input_end end);
    // Goes on in an element; true at its end.
    bool scan(std::string_view rest);
    element fail(std::string_view& rest);

    stage _stage;
    bool _is_in_element = false;
    uint64_t _number = 0;
    // Of the element that `rest` begins with:
    size_t _looked_at = 0;
    size_t _depth = 0;
    bool _is_in_string = false;
    bool _is_escaped = false;
    bool _is_skipping = false; // it is too long and was reported
};

} // namespace ingest

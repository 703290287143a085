#include "ingest/core/structured_data.hh"

#include "base/take.hh"
#include "ingest/core/quoted_string.hh"
#include "tables/core/unicode.hh"

namespace ingest {
namespace {

using base::take;

// A value that comes again and again is not joined beyond this.
constexpr size_t joined_bytes_max = 1024;

// SD-NAME: visible ASCII but for = ] and the quote.
std::string_view take_name(std::string_view& text) {
    size_t size = 0;
    while (size < text.size() && base::is_visible(text[size]) && !std::string_view("=]\"").contains(text[size])) {
        ++size;
    }
    const auto name = text.substr(0, size);
    text.remove_prefix(size);
    return name;
}

bool add(std::string_view name, std::string_view value, record_builder& record) {
    auto* const same = record.fields().find(name);
    if (same == nullptr) {
        return record.fields().add(name, tables::value::of_string(value)) == line_fault::none;
    }
    if (same->as_string().size() + value.size() > joined_bytes_max) {
        return false;
    }
    *same = tables::value::of_string(record.texts().concat({same->as_string(), ",", value}));
    return true;
}

// name="value"
bool take_parameter(std::string_view& text, std::string_view id, record_builder& record) {
    const auto name = take_name(text);
    if (name.empty() || !take(text, '=') || !take(text, '"')) {
        return false;
    }
    const auto scan = find_closing_quote(text.data(), text.data() + text.size());
    std::string_view value(text.data(), scan.at);
    if (!scan.is_closed || (scan.has_high_bytes && !tables::is_utf8(value))) {
        return false;
    }
    text.remove_prefix(value.size() + 1);
    if (scan.has_backslash) {
        value = record.texts().unescape(value, "\"\\]");
    }
    return add(record.texts().concat({id, ".", name}), value, record);
}

bool take_element(std::string_view& text, record_builder& record) {
    const auto id = take_name(text);
    if (id.empty()) {
        return false;
    }
    if (take(text, ']')) {
        return add(id, "", record);
    }
    while (take(text, ' ')) {
        if (!take_parameter(text, id, record)) {
            return false;
        }
    }
    return take(text, ']');
}

} // namespace

bool take_structured_data(std::string_view& text, record_builder& record) {
    do {
        if (!take(text, '[') || !take_element(text, record)) {
            return false;
        }
    } while (text.starts_with('['));
    return true;
}

} // namespace ingest

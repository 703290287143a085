// Tables -> JSON: one alone, or a listing with its head and tail.
#pragma once

#include <string>
#include <string_view>

#include "service/core/entity_printer.hh"

namespace service {

class table_printer {
public:
    explicit table_printer(const reply_context&);

    void append_single(std::string& out, std::string_view name) const;

    // A listing: begin, any number of items, end.
    void begin_set(std::string& out);
    void append_item(std::string& out, std::string_view name);
    void end_set(std::string& out) const;

private:
    // Everything behind `lead`, and the closing brace.
    void put_object(text_sink&, char lead, std::string_view name) const;

    const metadata_level _level;
    std::string _base_url; // as JSON text
    std::string _account;
    bool _has_items = false;
};

} // namespace service

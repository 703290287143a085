// Entities -> JSON, at the three metadata levels: one alone, or a set with its head and tail. Appends to a string and
// allocates nothing but its growth; the caller sends the string on and empties it when it has become long enough.
//
// Members come in this order: odata members, PartitionKey, RowKey, Timestamp, properties by name; an annotation stands before
// its property.
#pragma once

#include <string>
#include <string_view>

#include "service/core/metadata_level.hh"
#include "service/core/selection.hh"
#include "service/core/text_sink.hh"
#include "tables/core/row.hh"

namespace service {

// What all entities of one reply have in common. Copied where it is needed.
struct reply_context {
    metadata_level level = metadata_level::minimal;
    std::string_view base_url; // base_url() of the request
    std::string_view account;
};

class entity_printer {
public:
    entity_printer(const reply_context&, std::string_view table, selection = {});

    void append_single(std::string& out, const tables::entity_view&) const;

    // A set: begin, any number of items, end.
    void begin_set(std::string& out);
    void append_item(std::string& out, const tables::entity_view&);
    void end_set(std::string& out) const;

private:
    char put_odata_members(text_sink&, char lead, const tables::entity_view&) const;
    void put_object(text_sink&, char lead, const tables::entity_view&) const;
    char put_system_members(text_sink&, char lead, const tables::entity_view&) const;
    char put_selected(text_sink&, char lead, const tables::row_view&) const;

    const metadata_level _level;
    const selection _selection;
    const std::string _table;
    // Prepared JSON: each is the same for all entities of the reply.
    std::string _set_head;     // up to the first item
    std::string _element_head; // {"odata.metadata":"..." of a single entity
    std::string _id_head;      // "odata.type":"acct.Cities","odata.id":"<base>/
    bool _has_items = false;
};

// The value of the ETag header for an entity of that timestamp: W/"datetime'...'"
void put_etag(text_sink&, base::tick timestamp);

} // namespace service

// One syslog message as a record: RFC 5424, or RFC 3164 in the shapes that are around. Nothing is refused; what cannot be made
// out stays in the message, byte for byte.
//
//   <34>1 2026-10-11T22:14:15.003Z host app 123 ID47 [id@1 key="value"] text     5424; "-" is nothing
//   <34>Oct 11 22:14:15 host app[123]: text                                      3164
//
// Structured data becomes fields named id@1.key; a name that comes again has its values joined by commas, an element without
// parameters has an empty one of its own name. A byte order mark before the text is left out. Without a priority a message is
// user.notice, as RFC 3164 has it; a message with neither priority nor date is all text.
#pragma once

#include <string_view>

#include "ingest/core/recent_minute.hh"
#include "ingest/core/record_builder.hh"
#include "ingest/core/syslog_date.hh"

namespace ingest {

class syslog_reader {
public:
    // The builder outlives the reader and may serve others, too.
    explicit syslog_reader(record_builder& record) : _record(record) {}

    // Borrows from the message and from the builder; good until that is used again.
    const record_view& read(std::string_view message, const syslog_receipt&);

private:
    bool read_rfc5424(std::string_view text);
    bool read_rfc3164(std::string_view text, const syslog_receipt&);
    void read_app(std::string_view text);

    record_builder& _record;
    recent_minute _minute;
};

} // namespace ingest

#include "ingest/log_streams.hh"

namespace ingest {
namespace {

std::string_view source_of(const record_view& r, const syslog_naming& naming) {
    switch (naming.by) {
    case syslog_naming::what::fixed: return naming.name;
    case syslog_naming::what::host: return r.host.empty() ? nameless_source : r.host;
    case syslog_naming::what::app: break;
    }
    return r.app.empty() ? nameless_source : r.app;
}

} // namespace

void syslog_stream::take(std::string_view& rest, input_end end) {
    const syslog_receipt receipt{.time_ns = received_ns(), .utc_offset_s = _intake.syslog_offset_s(received_ns())};
    while (const auto message = _splitter.next(rest, end)) {
        auto record = _reader.read(message->bytes, receipt);
        record.source = source_of(record, _intake.naming());
        record.text = message->bytes;
        take_record(record, 0);
    }
}

void plain_log_stream::take(std::string_view& rest, input_end end) {
    while (const auto line = _lines.next(rest, end)) {
        if (line->is_too_long) {
            reject({line->number, line_fault::line_too_long});
        } else if (!line->text.empty()) {
            take_record({.source = _source, .message = line->text, .text = line->text}, line->number);
        }
    }
}

void json_log_stream::take(std::string_view& rest, input_end end) {
    for (;;) {
        switch (_parser.next(rest, end)) {
        case line_step::record: take_record(_parser.record(), _parser.line()); break;
        case line_step::point: reject({_parser.line(), line_fault::not_a_record}); break;
        case line_step::bad_line: reject(_parser.fault()); break;
        case line_step::need_more: return;
        }
    }
}

} // namespace ingest

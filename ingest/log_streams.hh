// Streams of log records: syslog over TCP, and the two kinds of bodies of POST /v1/logs/{source}.
#pragma once

#include <string>
#include <string_view>

#include "ingest/core/line_splitter.hh"
#include "ingest/core/syslog.hh"
#include "ingest/core/syslog_framing.hh"
#include "ingest/stream.hh"

namespace ingest {

// What a sender's messages go to when nothing else tells.
constexpr std::string_view nameless_source = "syslog";

class syslog_stream final : public stream {
public:
    syslog_stream(intake& in, size_t listed_max)
        : stream(in, protocol::syslog, listed_max, syslog_message_bytes_max + syslog_count_digits_max + 1),
          _reader(in.record_parts()) {}

    // Half a message is a message: a log says more with it than without.
    void abandon() override { finish(); }

private:
    void take(std::string_view& rest, input_end) override;

    syslog_splitter _splitter;
    syslog_reader _reader;
};

// One record a line, its time that of receipt.
class plain_log_stream final : public stream {
public:
    plain_log_stream(intake& in, std::string source, size_t listed_max)
        : stream(in, protocol::logs_http, listed_max), _source(std::move(source)) {}

private:
    void take(std::string_view& rest, input_end) override;

    std::string _source;
    line_splitter _lines;
};

// One object a line, all of the given source.
class json_log_stream final : public stream {
public:
    json_log_stream(intake& in, std::string source, json_arrays arrays, size_t listed_max)
        : stream(in, protocol::logs_http, listed_max), _parser(in.json(), std::move(source), arrays) {}

private:
    void take(std::string_view& rest, input_end) override;

    json_lines_parser _parser;
};

} // namespace ingest

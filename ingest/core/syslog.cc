#include "ingest/core/syslog.hh"

#include <algorithm>
#include <optional>

#include "base/take.hh"
#include "ingest/core/structured_data.hh"
#include "ingest/core/unix_time.hh"

namespace ingest {
namespace {

using base::is_digit;
using base::is_visible;
using base::take;

constexpr uint8_t user_facility = 1;
constexpr uint8_t notice_level = 5;
constexpr unsigned priority_max = 191;
// RFC 5424 allows 48, RFC 3164 32. What is longer is rather text.
constexpr size_t app_bytes_max = 64;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// "<34>". What is none is left.
std::optional<uint8_t> take_priority(std::string_view& text) {
    unsigned value = 0;
    size_t at = 1;
    for (; at < text.size() && at <= 3 && is_digit(text[at]); ++at) {
        value = value * 10 + static_cast<unsigned>(text[at] - '0');
    }
    if (!text.starts_with('<') || at == 1 || at >= text.size() || text[at] != '>' || value > priority_max) {
        return std::nullopt;
    }
    text.remove_prefix(at + 1);
    return static_cast<uint8_t>(value);
}

// The next word and the space behind it, or nothing when it is empty or has bytes that are no visible ASCII.
std::optional<std::string_view> take_header_word(std::string_view& text) {
    size_t size = 0;
    while (size < text.size() && is_visible(text[size])) {
        ++size;
    }
    if (size == 0 || (size < text.size() && text[size] != ' ')) {
        return std::nullopt;
    }
    const auto word = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    return word;
}

bool is_number(std::string_view word) {
    return std::ranges::all_of(word, is_digit);
}

// Devices of Cisco count their messages: "29: Nov 18 13:00:00: %SYS-5-...", some twice.
std::string_view without_counters(std::string_view text) {
    for (;;) {
        const auto rest = text.substr(std::min(text.find_first_not_of("0123456789"), text.size()));
        if (rest.size() == text.size() || !rest.starts_with(": ")) {
            return text;
        }
        text = rest.substr(2);
    }
}

std::string_view or_nothing(std::string_view word) {
    return word == "-" ? std::string_view() : word;
}

} // namespace

const record_view& syslog_reader::read(std::string_view message, const syslog_receipt& receipt) {
    _record.clear();
    auto& head = _record.head();
    const auto priority = take_priority(message);
    head.facility = priority ? static_cast<uint8_t>(*priority >> 3) : user_facility;
    head.level = priority ? static_cast<uint8_t>(*priority & 7) : notice_level;
    if (!priority || !read_rfc5424(message)) {
        const bool has_date = read_rfc3164(message, receipt);
        // With neither of the two it is just a line: "Error: ..." names no app.
        if (priority || has_date) {
            read_app(head.message);
        }
    }
    // rsyslog counts the line end that its formats have: it is in the text, but no part of what was said.
    if (head.message.ends_with('\n')) {
        head.message.remove_suffix(1);
    }
    return _record.finish();
}

// Begins behind the priority. False, and nothing done, when this is something else.
bool syslog_reader::read_rfc5424(std::string_view text) {
    if (!take(text, '1') || !take(text, ' ')) {
        return false;
    }
    std::optional<std::string_view> words[5]; // time, host, app, process, message id
    for (auto& word : words) {
        word = take_header_word(text);
        if (!word) {
            return false;
        }
    }
    auto& head = _record.head();
    if (words[0] != "-") {
        const auto time = _minute.parse(*words[0]);
        if (!time) {
            return false;
        }
        head.time_ns = *time;
    }
    head.host = or_nothing(*words[1]);
    head.app = or_nothing(*words[2]);
    head.process_id = or_nothing(*words[3]);
    head.message_id = or_nothing(*words[4]);
    head.message = text;
    if (!take(text, '-') && !take_structured_data(text, _record)) {
        _record.fields().clear();
        return true;
    }
    // Behind the data comes a space or nothing; else it was no data.
    if (!text.empty() && !take(text, ' ')) {
        _record.fields().clear();
        return true;
    }
    head.message = text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
    return true;
}

// Date and host, as far as they are there; the rest is the message. True with a date. Begins behind the priority.
bool syslog_reader::read_rfc3164(std::string_view text, const syslog_receipt& receipt) {
    auto& head = _record.head();
    head.message = text;
    text = without_counters(text);
    head.time_ns = take_syslog_date(text, receipt);
    if (!head.time_ns) {
        return false;
    }
    head.message = text;
    const auto word = text.substr(0, text.find(' '));
    // "app:" and "app[1]:" are no hosts; addresses with colons inside are.
    if (!word.ends_with(':') && !word.contains('[')) {
        if (const auto host = take_header_word(text); host && !text.empty()) {
            head.host = *host;
            head.message = text;
        }
    }
    return true;
}

// "app[123]: text" or "app: text".
void syslog_reader::read_app(std::string_view text) {
    const auto app = text.substr(0, text.find_first_of("[: "));
    if (app.empty() || app.size() > app_bytes_max || !std::ranges::all_of(app, is_visible)) {
        return;
    }
    text.remove_prefix(app.size());
    std::string_view process;
    if (take(text, '[')) {
        process = text.substr(0, text.find(']'));
        if (process.empty() || process.size() == text.size() || !std::ranges::all_of(process, is_visible)) {
            return;
        }
        text.remove_prefix(process.size() + 1);
    }
    // The colon is part of the form; without it the word was the beginning of the text. A number is a counter, and would make a
    // source of every message.
    if (!take(text, ':') || !(text.empty() || take(text, ' ')) || (process.empty() && is_number(app))) {
        return;
    }
    auto& head = _record.head();
    head.app = app;
    head.process_id = process;
    head.message = text;
}

} // namespace ingest

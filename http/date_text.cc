#include "http/date_text.hh"

#include <chrono>

#include "http/core/reply_head.hh"

namespace http {

std::string_view date_text::now() {
    const auto now = seastar::lowres_system_clock::now();
    // Also made anew when the clock was set back.
    if (now >= _expires || now < _expires - std::chrono::seconds(1)) {
        const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
        _text = http_date(second.count());
        _expires = seastar::lowres_system_clock::time_point(second + std::chrono::seconds(1));
    }
    return _text;
}

} // namespace http

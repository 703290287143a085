// The current time as the Date header wants it, made once a second.
#pragma once

#include <string>
#include <string_view>

#include <seastar/core/lowres_clock.hh>

namespace http {

class date_text {
public:
    // Valid until the next call.
    std::string_view now();

private:
    seastar::lowres_system_clock::time_point _expires;
    std::string _text;
};

} // namespace http

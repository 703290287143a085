// A refused $filter in the words of the wire.
#pragma once

#include "query/core/filter_error.hh"
#include "service/core/service_error.hh"

namespace service {

inline service_error to_service_error(const query::filter_error& e) {
    if (e.code == query::filter_errc::not_implemented) {
        return {service_code::not_implemented};
    }
    return {service_code::invalid_input, e.message};
}

} // namespace service

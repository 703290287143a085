#include "service/core/blob_condition.hh"

#include <algorithm>

#include "service/core/ascii.hh"

namespace service {
namespace {

// None of our tags has a comma.
bool names_etag(std::string_view list, std::string_view etag) {
    while (!list.empty()) {
        const auto one = list.substr(0, list.find(','));
        list.remove_prefix(std::min(one.size() + 1, list.size()));
        const auto tag = trimmed(one);
        if (tag == "*" || trimmed(tag, "\"") == etag) {
            return true;
        }
    }
    return false;
}

} // namespace

blob_condition check_blob_conditions(std::optional<std::string_view> if_match, std::optional<std::string_view> if_none_match,
                                     std::string_view etag) {
    if (if_match && !names_etag(*if_match, etag)) {
        return blob_condition::failed;
    }
    return if_none_match && names_etag(*if_none_match, etag) ? blob_condition::unmodified : blob_condition::met;
}

} // namespace service

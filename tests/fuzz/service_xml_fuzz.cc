// Policies and service properties that parse are printed and parsed again: the same values and the same text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "service/core/service_properties.hh"
#include "service/core/service_xml.hh"

namespace {

void check_acl(std::string_view xml) {
    const auto identifiers = service::parse_acl(xml);
    if (!identifiers) {
        return;
    }
    std::string text;
    service::append_acl(text, *identifiers);
    if (identifiers->size() > service::policies_max || service::parse_acl(text) != *identifiers) {
        std::abort();
    }
}

void check_properties(std::string_view xml) {
    const auto properties = service::apply_properties({}, xml);
    if (!properties) {
        return;
    }
    std::string text;
    service::append_properties(text, *properties);
    if (properties->cors.size() > service::cors_rules_max || service::apply_properties({}, text) != *properties) {
        std::abort();
    }
    for (const auto& rule : properties->cors) {
        if (!service::answer_preflight(properties->cors, {rule.origins.front(), rule.methods.front(), std::nullopt})) {
            std::abort();
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view xml(reinterpret_cast<const char*>(data), size);
    check_acl(xml);
    check_properties(xml);
    return 0;
}

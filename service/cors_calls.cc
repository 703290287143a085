// Requests from the pages of other sites: preflights, which need no key, and the headers of all other replies.

#include "service/core/cors.hh"
#include "service/table_service.hh"

namespace service {

seastar::future<> table_service::preflight(table_call& call) {
    const auto& rules = properties_of(call.account.account).cors;
    const auto answer = answer_preflight(rules, {call.header("origin"), call.header("access-control-request-method"),
                                                 call.header("access-control-request-headers")});
    if (!answer) {
        return call.send_error(answer.error());
    }
    const auto max_age = std::to_string(answer->max_age_seconds);
    table_call::fields extra{{"Access-Control-Allow-Origin", answer->allow_origin},
                             {"Access-Control-Allow-Methods", answer->allow_methods},
                             {"Access-Control-Max-Age", max_age},
                             {"Access-Control-Allow-Credentials", "true"}};
    if (!answer->allow_headers.empty()) {
        extra.push_back({"Access-Control-Allow-Headers", answer->allow_headers});
    }
    return call.send(200, std::move(extra));
}

void table_service::add_cors_fields(table_call& call) {
    const auto& rules = properties_of(call.account.account).cors;
    if (rules.empty()) {
        return;
    }
    const auto answer = answer_actual(rules, call.header("origin"), call.request.head.method);
    if (!answer.allow_origin.empty()) {
        call.add_field("Access-Control-Allow-Origin", std::string(answer.allow_origin));
        call.add_field("Access-Control-Allow-Credentials", "true");
    }
    if (!answer.expose_headers.empty()) {
        call.add_field("Access-Control-Expose-Headers", answer.expose_headers);
    }
    call.exposes_all_fields = answer.exposes_all;
    if (answer.varies_by_origin) {
        call.add_field("Vary", "Origin");
    }
}

} // namespace service

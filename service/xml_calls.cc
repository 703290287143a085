// Access policies of a table, properties and statistics of the service: the calls that speak XML. What a GET answers is what is
// stored, as an attribute in the catalog.

#include <seastar/core/coroutine.hh>

#include "service/core/entity_write.hh"
#include "service/core/service_properties.hh"
#include "service/core/service_xml.hh"
#include "service/table_service.hh"

namespace service {
namespace {

constexpr std::string_view acl_attribute = "acl";
constexpr std::string_view properties_attribute = "properties";
constexpr base::table_id of_account{0};

std::string to_xml(std::span<const signed_identifier> policies) {
    std::string text;
    append_acl(text, policies);
    return text;
}

std::string to_xml(const service_properties& properties) {
    std::string text;
    append_properties(text, properties);
    return text;
}

seastar::future<> send_xml(table_call& call, std::string body) {
    return call.send(200, {{"Content-Type", "application/xml"}}, std::move(body));
}

seastar::future<> answer_stored(const base::expected<void>& stored, table_call& call, unsigned status) {
    return stored ? call.send(status) : call.send_error(to_service_error(stored.error()));
}

} // namespace

std::vector<signed_identifier> table_service::policies_of(const table_call& call) const {
    const auto* info =
        call.query.get("si") ? _engine.catalog().find(call.account.account, call.query.get("tn").value_or("")) : nullptr;
    if (info == nullptr) {
        return {};
    }
    return parse_acl(_engine.catalog().attribute(info->id, call.account.account, acl_attribute))
        .value_or(std::vector<signed_identifier>());
}

seastar::future<> table_service::get_acl(table_call& call) {
    const auto table = find_table(call, table_of(call.what));
    if (!table) {
        return call.send_error(table.error());
    }
    const auto stored = _engine.catalog().attribute(*table, call.account.account, acl_attribute);
    return send_xml(call, stored.empty() ? to_xml(std::span<const signed_identifier>()) : std::string(stored));
}

seastar::future<> table_service::set_acl(table_call& call) {
    const auto table = find_table(call, table_of(call.what));
    if (!table) {
        co_return co_await call.send_error(table.error());
    }
    const auto body = co_await call.read_body();
    const auto policies = body ? parse_acl(*body) : std::unexpected(body.error());
    if (!policies) {
        co_return co_await call.send_error(policies.error());
    }
    auto text = policies->empty() ? std::string() : to_xml(*policies);
    const auto stored =
        co_await _engine.set_attribute({*table, std::string(call.account.account), std::string(acl_attribute), std::move(text)});
    co_await answer_stored(stored, call, 204);
}

const service_properties& table_service::properties_of(std::string_view account) {
    const auto text = _engine.catalog().attribute(of_account, account, properties_attribute);
    auto& known = _properties[std::string(account)];
    if (known.text != text) {
        known.text = text;
        known.properties = apply_properties({}, text).value_or(service_properties());
    }
    return known.properties;
}

seastar::future<> table_service::get_properties(table_call& call) {
    return send_xml(call, to_xml(properties_of(call.account.account)));
}

// A part that the document leaves out stays as it is, also where somebody else changes that part meanwhile: then once more, on
// top of theirs.
seastar::future<> table_service::set_properties(table_call& call) {
    const auto body = co_await call.read_body();
    const std::string account(call.account.account);
    for (;;) {
        std::string was(_engine.catalog().attribute(of_account, account, properties_attribute));
        const auto wanted = body ? apply_properties(properties_of(account), *body) : std::unexpected(body.error());
        if (!wanted) {
            co_return co_await call.send_error(wanted.error());
        }
        tables::attribute_edit edit{of_account, account, std::string(properties_attribute), to_xml(*wanted)};
        const auto stored = co_await _engine.set_attribute(std::move(edit), std::move(was));
        if (stored || stored.error().code != base::errc::condition_not_met) {
            co_return co_await answer_stored(stored, call, 202);
        }
    }
}

seastar::future<> table_service::get_stats(table_call& call) {
    // Primary and secondary are one, so the secondary is never behind.
    std::string body;
    append_stats(body, replication_status::live, call.now);
    return send_xml(call, std::move(body));
}

} // namespace service

// Create, list, get and delete tables.

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "query/core/entity_matcher.hh"
#include "query/core/filter_parser.hh"
#include "service/core/limits.hh"
#include "service/core/request_options.hh"
#include "service/core/table_printer.hh"
#include "service/filter_errors.hh"
#include "service/table_service.hh"

namespace service {
namespace {

// A table as the one entity that a filter on tables looks at.
class table_matcher {
public:
    static outcome<table_matcher> parse(const std::string& text) {
        auto filter = query::parse_filter(text, query::dialect::table_service);
        if (!filter) {
            return std::unexpected(to_service_error(filter.error()));
        }
        auto program = query::program::compile(std::move(*filter));
        if (!program) {
            return std::unexpected(to_service_error(program.error()));
        }
        return table_matcher(std::make_unique<query::program>(std::move(*program)));
    }

    bool matches(const std::string& name) {
        const std::vector<tables::property> properties{{"TableName", tables::value::of_string(name)}};
        std::string packed;
        tables::pack_row(properties, packed);
        return _matcher.matches({{}, {}, {}, tables::row_view(_shape, packed)});
    }

private:
    explicit table_matcher(std::unique_ptr<query::program> program) : _program(std::move(program)), _matcher(*_program) {}

    std::unique_ptr<query::program> _program; // where the matcher can find it when this is moved
    query::entity_matcher _matcher;
    tables::shape _shape{{{"TableName", tables::value_type::string}}};
};

} // namespace

seastar::future<> table_service::query_tables(table_call& call) {
    const auto options = parse_query_options(call.query);
    if (!options) {
        co_return co_await call.send_error(options.error());
    }
    auto matcher = table_matcher::parse(options->filter);
    if (!matcher) {
        co_return co_await call.send_error(matcher.error());
    }
    table_printer printer(call.context());
    std::string body;
    printer.begin_set(body);
    std::string next; // the first one that did not fit
    unsigned count = 0;
    auto from = tables::folded(options->next_table.value_or(""));
    for (bool is_more = options->rows_max > 0; is_more && next.empty();) {
        co_await seastar::coroutine::maybe_yield(); // a filter may rule out all of a hundred thousand tables
        const auto some = _engine.catalog().list(call.account.account, from, page_rows_max);
        is_more = some.size() == page_rows_max;
        for (const auto& table : some) {
            from = tables::folded(table.name) + '\0';
            if (!matcher->matches(table.name)) {
                continue;
            }
            if (count++ == options->rows_max) {
                next = table.name;
                break;
            }
            printer.append_item(body, table.name);
        }
    }
    printer.end_set(body);
    const auto token = to_token(next);
    table_call::fields extra;
    if (!next.empty()) {
        extra.push_back({"x-ms-continuation-NextTableName", token});
    }
    co_await call.send_json(200, std::move(extra), std::move(body));
}

seastar::future<> table_service::get_table(table_call& call) {
    const auto* info = _engine.catalog().find(call.account.account, std::get<table_resource>(call.what).table);
    if (info == nullptr) {
        return call.send_error({service_code::resource_not_found});
    }
    std::string body;
    table_printer(call.context()).append_single(body, info->name);
    return call.send_json(200, {}, std::move(body));
}

seastar::future<> table_service::create_table(table_call& call) {
    if (auto good = check_content_type(call.header("content-type")); !good) {
        co_return co_await call.send_error(good.error());
    }
    auto body = co_await call.read_body();
    auto name = body ? _parser.parse_table_name(*body) : std::unexpected(body.error());
    if (!name) {
        co_return co_await call.send_error(name.error());
    }
    const auto preferred = parse_prefer(call.header("prefer"));
    if (preferred != preference::none) {
        call.add_field("Preference-Applied", std::string(service::name(preferred)));
    }
    auto created = co_await _engine.create_table({std::string(call.account.account), *name, {}});
    if (!created) {
        co_return co_await call.send_error(to_service_error(created.error()));
    }
    const auto url = text_of([&](text_sink& out) {
        out.put(call.base_url);
        out.put('/');
        put_table_path(out, created->name);
    });
    table_call::fields extra{{"Location", url}};
    if (preferred == preference::return_no_content) {
        extra.push_back({"DataServiceId", url});
        co_return co_await call.send(204, std::move(extra));
    }
    std::string reply;
    table_printer(call.context()).append_single(reply, created->name);
    co_await call.send_json(201, std::move(extra), std::move(reply));
}

seastar::future<> table_service::delete_table(table_call& call) {
    auto dropped = co_await _engine.drop_table(std::string(call.account.account), std::get<table_resource>(call.what).table);
    if (!dropped) {
        // Of a table itself the wire says ResourceNotFound.
        const bool is_gone = dropped.error().code == base::errc::table_not_found;
        co_return co_await call.send_error(is_gone ? service_error{service_code::resource_not_found}
                                                   : to_service_error(dropped.error()));
    }
    co_await call.send(204);
}

} // namespace service

#include "service/core/table_printer.hh"

#include "service/core/json_text.hh"
#include "service/core/resource_url.hh"

namespace service {

table_printer::table_printer(const reply_context& context)
    : _level(context.level), _base_url(text_of([&](text_sink& out) { put_json_text(out, context.base_url); })),
      _account(context.account) {}

void table_printer::begin_set(std::string& out) {
    _has_items = false;
    if (_level == metadata_level::none) {
        out.append(R"({"value":[)");
    } else {
        out.append(R"({"odata.metadata":")").append(_base_url).append(R"(/$metadata#Tables","value":[)");
    }
}

void table_printer::append_item(std::string& out, std::string_view name) {
    text_sink sink(out);
    if (_has_items) {
        sink.put(',');
    }
    _has_items = true;
    put_object(sink, '{', name);
}

void table_printer::end_set(std::string& out) const {
    out.append("]}");
}

void table_printer::append_single(std::string& out, std::string_view name) const {
    text_sink sink(out);
    if (_level == metadata_level::none) {
        return put_object(sink, '{', name);
    }
    sink.put(R"({"odata.metadata":")");
    sink.put(_base_url);
    sink.put(R"(/$metadata#Tables/@Element")");
    put_object(sink, ',', name);
}

void table_printer::put_object(text_sink& out, char lead, std::string_view name) const {
    out.put(lead);
    if (_level == metadata_level::full) {
        out.put(R"("odata.type":")");
        out.put(_account);
        out.put(R"(.Tables","odata.id":")");
        out.put(_base_url);
        out.put('/');
        put_table_path(out, name);
        out.put(R"(","odata.editLink":")");
        put_table_path(out, name);
        out.put(R"(",)");
    }
    out.put(R"("TableName":)");
    put_json_string(out, name);
    out.put('}');
}

} // namespace service

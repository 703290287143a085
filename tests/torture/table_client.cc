#include "tests/torture/table_client.hh"

#include <cstdlib>

#include <fmt/format.h>
#include <simdjson.h>

#include "http/core/percent.hh"
#include "service/core/base64.hh"
#include "service/core/signature.hh"

namespace torture {
namespace {

const std::string account = "devstoreaccount1";
constexpr std::string_view development_key =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

std::string entity_json(const step& s, bool with_keys) {
    std::string json = with_keys ? fmt::format(R"("PartitionKey":"{}","RowKey":"{}")", s.partition, s.row) : "";
    for (const auto& [name, text] : s.properties) {
        json += fmt::format(R"({}"{}":"{}")", json.empty() ? "" : ",", name, text);
    }
    return "{" + json + "}";
}

struct wire_step {
    std::string method;
    std::string path; // behind the account
    bool needs_match = false;
};

wire_step wire_of(const std::string& table, const step& s) {
    if (s.what == verb::insert) {
        return {"POST", "/" + table};
    }
    const bool needs_match = s.what == verb::replace || s.what == verb::merge || s.what == verb::remove;
    const bool merges = s.what == verb::merge || s.what == verb::insert_or_merge;
    const auto method = s.what == verb::remove ? "DELETE" : merges ? "MERGE" : "PUT";
    return {method, fmt::format("/{}(PartitionKey='{}',RowKey='{}')", table, s.partition, s.row), needs_match};
}

int normal(int status) {
    return status >= 200 && status < 300 ? 204 : status;
}

void add_row(simdjson::dom::object object, table_state& state) {
    std::string partition, row;
    entity properties;
    for (const auto [name, value] : object) {
        std::string_view text;
        if (value.get(text) != simdjson::SUCCESS || name == "Timestamp" || name.starts_with("odata.")) {
            continue;
        }
        if (name == "PartitionKey") {
            partition = text;
        } else if (name == "RowKey") {
            row = text;
        } else {
            properties.emplace(name, text);
        }
    }
    state.rows.emplace(partition + '|' + row, std::move(properties));
}

std::string signature_of(const std::string& target, const std::string& date) {
    const service::signed_request request{.x_ms_date = date, .raw_path = std::string_view(target).substr(0, target.find('?'))};
    return service::sign(*service::decode_base64(development_key),
                         service::string_to_sign(service::key_scheme::shared_key_lite, request, account));
}

} // namespace

std::optional<http_reply> table_client::call(const std::string& method, const std::string& path, const std::string& body,
                                             std::map<std::string, std::string> fields) {
    fields.try_emplace("Content-Type", "application/json");
    fields.emplace("Accept", "application/json;odata=nometadata");
    fields.emplace("x-ms-version", "2019-02-02");
    const auto date = _clock.http_date();
    const auto target = "/" + account + path;
    fields.emplace("x-ms-date", date);
    fields.emplace("Authorization", fmt::format("SharedKeyLite {}:{}", account, signature_of(target, date)));
    return _connection.send({.method = method, .target = target, .fields = std::move(fields), .body = body});
}

std::optional<http_reply> table_client::call_forged(const std::string& path,
                                                    const std::function<std::string(std::string)>& forge) {
    const auto date = _clock.http_date();
    const auto target = "/" + account + path;
    std::map<std::string, std::string> fields{{"x-ms-version", "2019-02-02"}, {"x-ms-date", date}};
    if (const auto signature = forge(signature_of(target, date)); !signature.empty()) {
        fields.emplace("Authorization", fmt::format("SharedKeyLite {}:{}", account, signature));
    }
    return _connection.send({.target = target, .fields = std::move(fields)});
}

int table_client::change(const std::string& table, const table_change& c) {
    if (c.what == table_change::kind::write) {
        return c.steps.size() == 1 ? send_step(table, c.steps.front()) : send_transaction(table, c.steps);
    }
    const bool creates = c.what == table_change::kind::create;
    const auto reply = creates ? call("POST", "/Tables", fmt::format(R"({{"TableName":"{}"}})", table))
                               : call("DELETE", fmt::format("/Tables('{}')", table));
    return reply ? normal(reply->status) : 0;
}

int table_client::send_step(const std::string& table, const step& s) {
    const auto wire = wire_of(table, s);
    std::map<std::string, std::string> fields;
    if (wire.needs_match) {
        fields.emplace("If-Match", "*");
    }
    const auto reply = call(wire.method, wire.path, s.what == verb::remove ? "" : entity_json(s, s.what == verb::insert), fields);
    return reply ? normal(reply->status) : 0;
}

int table_client::send_transaction(const std::string& table, const std::vector<step>& steps) {
    std::string body = "--batch_b\r\nContent-Type: multipart/mixed; boundary=changeset_c\r\n\r\n";
    for (const auto& s : steps) {
        const auto wire = wire_of(table, s);
        body += fmt::format("--changeset_c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
                            "{} http://127.0.0.1/{}{} HTTP/1.1\r\nContent-Type: application/json\r\n{}\r\n{}\r\n",
                            wire.method, account, wire.path, wire.needs_match ? "If-Match: *\r\n" : "",
                            s.what == verb::remove ? "" : entity_json(s, s.what == verb::insert));
    }
    body += "--changeset_c--\r\n--batch_b--\r\n";
    const auto reply = call("POST", "/$batch", body, {{"Content-Type", "multipart/mixed; boundary=batch_b"}});
    if (!reply || reply->status != 202) {
        return reply ? reply->status : 0;
    }
    // All parts went well, or there is one, and it failed.
    constexpr std::string_view begin = "HTTP/1.1 ";
    const auto at = reply->body.find(begin);
    return at == std::string::npos ? 500 : normal(std::atoi(reply->body.c_str() + at + begin.size()));
}

std::optional<table_state> table_client::read(const std::string& table, std::string_view partition) {
    const auto filter =
        partition.empty() ? "" : "?$filter=" + http::percent_encode(fmt::format("PartitionKey eq '{}'", partition));
    const auto reply = call("GET", fmt::format("/{}(){}", table, filter));
    if (reply && reply->status == 404) {
        return table_state{};
    }
    simdjson::dom::parser parser;
    simdjson::dom::array rows;
    if (!reply || reply->status != 200 || parser.parse(reply->body)["value"].get(rows) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    table_state state{true, {}};
    for (const simdjson::dom::object row : rows) {
        add_row(row, state);
    }
    return state;
}

} // namespace torture

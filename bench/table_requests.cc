#include "bench/table_requests.hh"

#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "http/core/reply_head.hh"
#include "service/core/base64.hh"
#include "service/core/signature.hh"

namespace bench {
namespace {

constexpr std::string_view account = "devstoreaccount1";
// Published with the service's emulators; every one of them knows it.
constexpr std::string_view account_key =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
constexpr std::string_view json_type = "application/json";
constexpr std::string_view batch_type = "multipart/mixed; boundary=batch_4f1c";
constexpr size_t text_bytes = 640; // brings the JSON of an entity to 1 KB
constexpr size_t text_pool_bytes = 1 << 20;

uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// Greater numbers first in the order of keys, as inverted ticks have it.
std::string row_key(uint64_t number) {
    return fmt::format("{:019}", 2'520'000'000'000'000'000 - number);
}

// Messages are cut out of this, so that making them leaves the machine to the server.
std::string make_text() {
    static constexpr std::string_view words[] = {"request", "accepted", "from",     "gateway", "after", "retry",
                                                 "session", "closed",   "upstream", "timeout", "while", "reading",
                                                 "cache",   "miss",     "handled",  "ok"};
    std::string text;
    for (uint64_t i = 0; text.size() < text_pool_bytes + text_bytes; ++i) {
        const auto pick = mixed(i);
        text += words[pick % std::size(words)];
        text += ' ';
        if (i % 4 == 3) {
            fmt::format_to(std::back_inserter(text), "{:08x} ", static_cast<uint32_t>(pick >> 32));
        }
    }
    return text;
}

void append_entity(std::string& out, std::string_view partition, uint64_t number) {
    static const std::string text = make_text();
    const uint64_t random = mixed(number + 1);
    const auto to = std::back_inserter(out);
    fmt::format_to(
        to, R"({{"PartitionKey":"{}","RowKey":"{}","Level":{},"Duration":{}.25,"IsRetry":{},"Sequence@odata.type":"Edm.Int64",)",
        partition, row_key(number), random % 7, random % 10'000, random % 2 == 0, number);
    fmt::format_to(
        to,
        R"("Sequence":"{}","Trace":"{:016x}{:016x}","Host":"web-{:03}.example","Status":{},"Path":"/v2/orders/{}","Message":")",
        number, mixed(random), mixed(random + 1), random % 400, 200 + random % 5 * 100, random % 100'000);
    out.append(text, (random >> 20) % text_pool_bytes, text_bytes);
    out += "\"}";
}

} // namespace

table_requests::table_requests(std::string table) : _table(std::move(table)), _key(service::decode_base64(account_key).value()) {}

const std::string& table_requests::date() {
    const auto now = std::time(nullptr);
    if (now != _date_s) {
        _date_s = now;
        _date = http::http_date(now);
    }
    return _date;
}

void table_requests::write_request(std::string& out, std::string_view method, std::string_view path, std::string_view query,
                                   std::string_view content_type, std::string_view body) {
    auto text = service::string_to_sign(service::key_scheme::shared_key,
                                        {.method = method,
                                         .content_md5 = {},
                                         .content_type = content_type,
                                         .x_ms_date = date(),
                                         .date = std::nullopt,
                                         .raw_path = path,
                                         .comp = std::nullopt},
                                        account);
    if (text != _signed) { // inserts into one table have the same for a second
        _signature = service::sign(_key, text);
        _signed = std::move(text);
    }
    const auto to = std::back_inserter(out);
    fmt::format_to(
        to,
        "{} {}{} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-ms-date: {}\r\nx-ms-version: 2019-02-02\r\nDataServiceVersion: 3.0;NetFx\r\n",
        method, path, query, _date);
    fmt::format_to(
        to, "MaxDataServiceVersion: 3.0;NetFx\r\nAccept: application/json;odata=nometadata\r\nAuthorization: SharedKey {}:{}\r\n",
        account, _signature);
    if (!content_type.empty()) {
        fmt::format_to(to, "Content-Type: {}\r\nPrefer: return-no-content\r\nContent-Length: {}\r\n", content_type, body.size());
    }
    out += "\r\n";
    out += body;
}

std::string table_requests::create_table() {
    std::string out;
    write_request(out, "POST", fmt::format("/{}/Tables", account), "", json_type, fmt::format(R"({{"TableName":"{}"}})", _table));
    return out;
}

void table_requests::insert(std::string& out, std::string_view partition, uint64_t number) {
    _body.clear();
    append_entity(_body, partition, number);
    write_request(out, "POST", fmt::format("/{}/{}", account, _table), "", json_type, _body);
}

void table_requests::insert_many(std::string& out, std::string_view partition, uint64_t first, unsigned count) {
    _body = "--batch_4f1c\r\nContent-Type: multipart/mixed; boundary=changeset_8a2e\r\n\r\n";
    for (unsigned i = 0; i < count; ++i) {
        fmt::format_to(std::back_inserter(_body),
                       "--changeset_8a2e\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
                       "POST http://127.0.0.1/{}/{} HTTP/1.1\r\nAccept: application/json;odata=nometadata\r\nContent-Type: "
                       "application/json\r\n"
                       "Prefer: return-no-content\r\nDataServiceVersion: 3.0\r\n\r\n",
                       account, _table);
        append_entity(_body, partition, first + i);
        _body += "\r\n";
    }
    _body += "--changeset_8a2e--\r\n--batch_4f1c--\r\n";
    write_request(out, "POST", fmt::format("/{}/$batch", account), "", batch_type, _body);
}

void table_requests::get(std::string& out, std::string_view partition, uint64_t number) {
    write_request(out, "GET", fmt::format("/{}/{}(PartitionKey='{}',RowKey='{}')", account, _table, partition, row_key(number)),
                  "", "", "");
}

void table_requests::newest(std::string& out, std::string_view partition, unsigned count) {
    write_request(out, "GET", fmt::format("/{}/{}()", account, _table),
                  fmt::format("?$filter=PartitionKey%20eq%20%27{}%27&$top={}", partition, count), "", "");
}

} // namespace bench

// make_kept_store NAME: writes a data directory with something of everything, packs it as NAME.tar.zst, and what it answers as
// NAME.answers. Run by tests/server/data/make.
//
// The first half of what is written goes to segments and blobs, since a start puts what it finds in the log into files. The
// second changes some of that, and stays in the log: the server is killed.
//
// Questions end before the 10th: the test writes behind it, and asks them again.

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "http/core/percent.hh"
#include "tests/lib/temporary_directory.hh"
#include "tests/server/kept_store.hh"
#include "tests/server/line_client.hh"
#include "tests/server/signed_client.hh"

namespace {

using namespace testing_lib;

constexpr int64_t second_ns = 1'000'000'000;
constexpr int64_t start_s = 1'793'620'800; // 2026-11-02T12:00:00Z
constexpr int64_t start_ns = start_s * second_ns;
const std::string never = "36500d"; // the store is opened in years, too

void expect(int status, int wanted, std::string_view what, std::string_view body) {
    if (status != wanted) {
        throw std::runtime_error(fmt::format("{}: {} instead of {}: {}", what, status, wanted, body));
    }
}

size_t count(std::string_view text, std::string_view word) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) {
        ++found;
    }
    return found;
}

// A server of its own on the store, and everything that can be written to it.
class author {
public:
    explicit author(const std::string& data)
        : _syslog_port(free_port()),
          _server(data, {"--smp", "2", "--memory", "256M", "--spread", "busy:4", "--syslog-port", std::to_string(_syslog_port)}),
          _tables(_server.table_port), _native(_server.port) {}

    void send(const std::string& method, const std::string& path, const std::string& body, int wanted,
              const std::string& type = "application/json") {
        const auto reply = _native.send({.method = method, .target = path, .fields = {{"Content-Type", type}}, .body = body});
        expect(reply ? reply->status : 0, wanted, method + " " + path, reply ? reply->body : "");
    }
    void lines(const std::string& text) { send("POST", "/write", text, 204, "text/plain"); }
    void syslog(const std::string& text) {
        line_client client(_syslog_port);
        client.send(text);
        client.finish();
    }
    void table(const std::string& method, const std::string& path, const std::string& body, int wanted,
               std::map<std::string, std::string> fields = {}) {
        const auto reply = _tables.call(method, path, body, std::move(fields));
        expect(reply.status, wanted, method + " " + path, reply.body);
    }
    void create(const std::string& name) { table("POST", "/Tables", fmt::format(R"({{"TableName":"{}"}})", name), 201); }
    void insert(const std::string& name, const std::string& entity) { table("POST", "/" + name, entity, 201); }

    // Until nothing of what was replayed is in memory only.
    void wait_for_files() {
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        const auto text_of = [this](const char* path) {
            const auto reply = _server.get(path);
            return reply ? reply->body : "";
        };
        while (count(text_of("/v1/tables"), R"("memory_bytes":)") != count(text_of("/v1/tables"), R"("memory_bytes":0,)") ||
               text_of("/v1/blobs").contains(R"("state":"open")")) {
            if (std::chrono::steady_clock::now() > patience) {
                throw std::runtime_error("rows or records stay in memory");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
    void end(int signal) {
        _server.process.signal(signal);
        _server.process.wait();
    }
    const running_server& server() const { return _server; }

private:
    const uint16_t _syslog_port;
    running_server _server;
    signed_client _tables;
    torture::http_connection _native;
};

// --- the first half -------------------------------------------------------------------------------------------------------

void write_families(author& to) {
    to.send("PUT", "/v1/retention/net", fmt::format(R"({{"period":"1h","keep":"{}"}})", never), 200);
    std::string lines;
    for (int i = 0; i < 60; ++i) { // over midnight
        const auto at = start_ns + i * 900 * second_ns;
        for (const auto* city : {"Wien", "Graz", "Linz"}) {
            lines += fmt::format("weather,city={},path=/var temperature={},count={}i,rain={},note=\"no. {} \\\"{}\\\" äöü\" {}\n",
                                 city, i * 0.25 - 3, i * i, i % 3 == 0, i, city, at);
        }
        lines += fmt::format("disk\\ io,host=a http.code={}i,read={} {}\n", 200 + i % 5, i / 7.0, at);
        lines += fmt::format("busy,host=a v={}i {}\n", i, at + i);
        lines += fmt::format("net,host=a rx={}i,tx={}i {}\n", i * 1'000'003L, i, at);
    }
    to.lines(lines);
    to.send("PUT", "/v1/retention/weather", fmt::format(R"({{"keep":"{}","max_bytes":1000000000000}})", never), 200);
    to.send("PUT", "/v1/retention/web", fmt::format(R"({{"keep":"{}"}})", never), 200);
}

constexpr auto most = R"({"PartitionKey":"all","RowKey":"most","Text":"äöü 😀 \"quoted\" \\ \u0001\n","Empty":"","Bool":true,
"Int":2147483647,"Long@odata.type":"Edm.Int64","Long":"9223372036854775807","Double":1.7976931348623157e308,
"Nan@odata.type":"Edm.Double","Nan":"NaN","Date@odata.type":"Edm.DateTime","Date":"9999-12-31T23:59:59.9999999Z",
"Guid@odata.type":"Edm.Guid","Guid":"c9da6455-213d-42c9-9a79-3e9149a57833",
"Binary@odata.type":"Edm.Binary","Binary":"AAECA/7/"})";
constexpr auto least = R"({"PartitionKey":"all","RowKey":"least","Bool":false,"Int":-2147483648,
"Long@odata.type":"Edm.Int64","Long":"-9223372036854775808","Double":5e-324,"Infinity@odata.type":"Edm.Double",
"Infinity":"-Infinity","Date@odata.type":"Edm.DateTime","Date":"1601-01-01T00:00:00Z","Guid@odata.type":"Edm.Guid",
"Guid":"00000000-0000-0000-0000-000000000000","Binary@odata.type":"Edm.Binary","Binary":""})";

void write_tables(author& to) {
    for (const auto* name : {"Types", "Keys", "Visits", "Again", "Audit20261102"}) {
        to.create(name);
    }
    to.insert("Types", most);
    to.insert("Types", least);
    for (int i = 0; i < 40; ++i) {
        to.insert("Types",
                  fmt::format(R"({{"PartitionKey":"column","RowKey":"{:02}","Int":{},"Double":{},"Text":"value {}","Bool":{}}})",
                              i, i * i, i / 8.0, i % 7, i % 2 == 0));
    }
    for (const auto* key : {"a'b", " with spaces ", "ünïcödé", "😀", "%2F", ""}) {
        to.insert("Keys", fmt::format(R"({{"PartitionKey":"{0}","RowKey":"{0}","is":"{0}"}})", key));
    }
    for (int i = 0; i < 5; ++i) { // RowKeys are inverted ticks
        const auto tick = 621'355'968'000'000'000 + (start_s + i) * 10'000'000;
        to.insert("Visits", fmt::format(R"({{"PartitionKey":"shop","RowKey":"{:019}","page":"/{}"}})",
                                        3'155'378'975'999'999'999 - tick, i));
    }
    to.insert("Again", R"({"PartitionKey":"p","RowKey":"old"})");
    to.insert("Audit20261102", R"({"PartitionKey":"p","RowKey":"r","what":"deploy"})");
    to.send("PUT", "/v1/retention/Audit", fmt::format(R"({{"keep":"{}"}})", never), 200);
}

std::string record(int number) {
    constexpr const char* levels[] = {"error", "warn", "info", "debug"};
    return fmt::format(
        R"({{"time":{},"level":"{}","host":"h{}","app":"nginx","message":"GET /{} {}","status":{},"took":{},"ok":{}}})"
        "\n",
        start_ns + number * second_ns / 4, levels[number % 4], number % 3, number % 17, 200 + number % 5, 200 + number % 5,
        number / 16.0, number % 5 == 0);
}

void write_records(author& to, int from, int upto) {
    std::string records;
    for (int i = from; i < upto; ++i) {
        records += record(i);
    }
    to.send("POST", "/v1/logs/web", records, 204, "application/x-ndjson");
    to.send("POST", "/v1/logs/web%2Fadmin", fmt::format("text from {}\nits time is that of receipt: äöü \xff\n", from), 204,
            "text/plain");
    to.syslog(fmt::format("<165>1 2026-11-02T12:00:00.{:03}Z web1 backup 4711 ID47 [order@32473 number=\"{}\"] disk is full\n",
                          from, from));
}

// --- the second half ------------------------------------------------------------------------------------------------------

constexpr auto policies =
    R"(<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers><SignedIdentifier><Id>readers &amp; more</Id><AccessPolicy>)"
    R"(<Start>2026-01-01T00:00:00Z</Start><Expiry>2099-01-01T00:00:00Z</Expiry><Permission>r</Permission></AccessPolicy>)"
    R"(</SignedIdentifier></SignedIdentifiers>)";
constexpr auto properties =
    R"(<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties><Cors><CorsRule><AllowedMethods>GET,PUT</AllowedMethods>)"
    R"(<AllowedOrigins>http://example.org</AllowedOrigins><AllowedHeaders>x-ms-*</AllowedHeaders><ExposedHeaders>x-ms-*</ExposedHeaders>)"
    R"(<MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>)";

void change_tables(author& to) {
    to.table("MERGE", "/Types(PartitionKey='all',RowKey='most')", R"({"Int":1,"Added":"later"})", 204, {{"If-Match", "*"}});
    to.table("PUT", "/Types(PartitionKey='column',RowKey='03')", R"({"Only":"this"})", 204, {{"If-Match", "*"}});
    to.table("DELETE", "/Types(PartitionKey='column',RowKey='07')", "", 204, {{"If-Match", "*"}});
    to.insert("Types", R"({"PartitionKey":"column","RowKey":"99","Int":99})");
    to.table("DELETE", "/Tables('Again')", "", 204);
    to.create("Again");
    to.insert("Again", R"({"PartitionKey":"p","RowKey":"new"})");
    to.create("Gone");
    to.insert("Gone", R"({"PartitionKey":"p","RowKey":"r"})");
    to.table("DELETE", "/Tables('Gone')", "", 204);
    to.create("Fresh");
    to.insert("Fresh", R"({"PartitionKey":"p","RowKey":"r","n":1})");
    to.table("PUT", "/Types?comp=acl", policies, 204, {{"Content-Type", "application/xml"}});
    to.table("PUT", "/?restype=service&comp=properties", properties, 202, {{"Content-Type", "application/xml"}});
}

void change_families(author& to) {
    to.lines(fmt::format("weather,city=Wien,path=/var temperature=99.5 {}\n" // a field of a row that is there
                         "weather,city=Wien,path=/var temperature=1,count=1i,rain=f,note=\"newest\" {}\n"
                         "fresh,host=a v=1 {}\n",
                         start_ns, start_ns + 86'400 * second_ns, start_ns));
    to.send("DELETE", "/v1/families/weather?where=" + http::percent_encode("city eq 'Graz' and count lt 100"), "", 200);
    to.send("PUT", "/v1/retention/busy", fmt::format(R"({{"keep":"{}"}})", never), 200);
}

std::vector<question> questions() {
    const auto of = [](std::string_view from, std::string_view more = "") {
        return fmt::format("native /v1/range?from={}&end=2026-11-10T00:00:00Z&limit=10000{}", http::percent_encode(from), more);
    };
    const auto encoded = [](std::string_view filter) { return "?$filter=" + http::percent_encode(filter); };
    std::vector<question> all{
        of("family:weather"),
        of("family:weather",
           "&every=6h&by=city&agg=count(*),max(temperature),sum(count),p50(temperature),first(note),last(rain)"),
        of("family:weather", "&where=" + http::percent_encode("city eq 'Wien' and rain eq true and temperature gt 5")),
        of("family:disk io"),
        of("family:busy"),
        of("family:net", "&order=desc"),
        of("family:fresh"),
        of("table:Visits"),
        of("source:web"),
        of("source:web", "&where=" + http::percent_encode("level le 'warn' and contains(message,'/16')")),
        of("source:web", "&agg=count(*),max(took)&every=10s"),
        of("source:backup"),
        "native /v1/tail?n=100&from=source:web%2Fadmin",
        "native /v1/tail?n=10&from=source:backup,family:fresh,table:Visits",
        "native /v1/retention",
        "table /Tables" + encoded("TableName lt 'weather20261110'"),
        "table /Types()" + encoded("PartitionKey lt 'later'"),
        "table /Types(PartitionKey='all',RowKey='most')",
        "table /Types?comp=acl",
        "table /?restype=service&comp=properties",
    };
    for (const auto* family : {"weather", "disk%20io", "busy", "net"}) {
        for (const auto* list : {"series", "tags", "fields"}) {
            all.push_back(fmt::format("native /v1/families/{}/{}", family, list));
        }
    }
    for (const auto* name :
         {"Keys", "Visits", "Again", "Gone", "Fresh", "Audit20261102", "weather20261102", "busy20261102", "net2026110212"}) {
        all.push_back(fmt::format("table /{}()", name));
    }
    return all;
}

std::vector<known_answer> answers_of(const running_server& server) {
    std::vector<known_answer> all;
    for (const auto& q : questions()) {
        all.push_back({q, ask(server, q)});
    }
    return all;
}

void make(const std::string& name) {
    const temporary_directory place;
    const auto data = place.path() + "/data";
    {
        author first(data);
        write_families(first);
        write_tables(first);
        write_records(first, 0, 200);
        first.end(SIGTERM);
    }
    std::vector<known_answer> before;
    {
        author second(data);
        second.wait_for_files();
        change_tables(second);
        change_families(second);
        write_records(second, 200, 260);
        before = answers_of(second.server());
        second.end(SIGKILL);
    }
    pack(data, name + ".tar.zst");
    const author reader(data);
    const auto after = answers_of(reader.server());
    for (size_t i = 0; i < after.size(); ++i) {
        if (before[i] != after[i]) {
            throw std::runtime_error(
                fmt::format("{}\nbefore the kill: {}\nafter it: {}", after[i].asked, before[i].answer, after[i].answer));
        }
    }
    write_file(name + ".answers", to_text(after));
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "make_kept_store NAME: leaves NAME.tar.zst and NAME.answers\n");
        return 2;
    }
    try {
        make(argv[1]);
        return 0;
    } catch (const std::exception& e) {
        fmt::print(stderr, "make_kept_store: {}\n", e.what());
        return 1;
    }
}

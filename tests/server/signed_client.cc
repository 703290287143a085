#include "tests/server/signed_client.hh"

#include <ctime>

#include <fmt/format.h>

#include "http/core/query_string.hh"
#include "service/core/base64.hh"
#include "service/core/signature.hh"

namespace testing_lib {
namespace {

const std::string account = "devstoreaccount1";
constexpr std::string_view development_key =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

std::string http_date() {
    const auto now = std::time(nullptr);
    ::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[64];
    return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

std::string signature_of(const std::string& target, const std::string& date) {
    const auto question = target.find('?');
    const auto query = http::query_string::parse(question == target.npos ? "" : target.substr(question + 1));
    service::signed_request request{.x_ms_date = date, .raw_path = std::string_view(target).substr(0, question)};
    if (query) {
        request.comp = query->get("comp");
    }
    return service::sign(*service::decode_base64(development_key),
                         service::string_to_sign(service::key_scheme::shared_key_lite, request, account));
}

} // namespace

torture::http_reply signed_client::call(const std::string& method, const std::string& path, const std::string& body,
                                        std::map<std::string, std::string> fields) {
    const auto date = http_date();
    const auto target = "/" + account + path;
    fields.try_emplace("Content-Type", "application/json");
    fields.try_emplace("Accept", "application/json;odata=nometadata");
    fields.emplace("x-ms-version", "2019-02-02");
    fields.emplace("x-ms-date", date);
    fields.emplace("Authorization", fmt::format("SharedKeyLite {}:{}", account, signature_of(target, date)));
    return _connection.send({.method = method, .target = target, .fields = std::move(fields), .body = body})
        .value_or(torture::http_reply{});
}

} // namespace testing_lib

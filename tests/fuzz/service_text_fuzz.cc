// The small texts of the Table and Blob wire: what is read is within its bounds and, where we write such texts ourselves, comes
// back as it was. Without the key no text opens a blob.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/core/query_string.hh"
#include "service/core/accept.hh"
#include "service/core/base64.hh"
#include "service/core/blob_condition.hh"
#include "service/core/blob_sas.hh"
#include "service/core/blob_xml.hh"
#include "service/core/continuation.hh"
#include "service/core/request_options.hh"
#include "service/core/signature.hh"
#include "service/core/text_sink.hh"
#include "tables/core/etag.hh"
#include "tables/core/key.hh"

namespace {

void require(bool law) {
    if (!law) {
        std::abort();
    }
}

void read_token(std::string_view text) {
    if (const auto key = service::parse_token(text)) {
        const auto again = service::parse_token(service::to_token(*key));
        require(again && *again == *key && tables::check_key(*key).has_value());
    }
    if (tables::check_key(text)) {
        const auto back = service::parse_token(service::to_token(text));
        require(back && *back == text);
    }
    (void)service::parse_entity_position(text, text).has_value();
    if (const auto bytes = service::decode_base64(text)) {
        const auto again = service::text_of([&](service::text_sink& out) { service::put_base64(out, *bytes); });
        require(service::decode_base64(again) == *bytes);
    }
}

void read_condition(std::string_view text) {
    if (const auto etag = tables::parse_etag(text); etag && etag->timestamp) {
        const auto again = tables::parse_etag(tables::etag_text(*etag->timestamp));
        require(again && again->timestamp == etag->timestamp);
    }
    (void)service::check_blob_conditions(text, text, "0x1");
    constexpr uint64_t bytes = 1'000;
    if (const auto range = service::parse_byte_range(text, bytes)) {
        require(range->begin < range->end && range->end <= bytes);
    }
    if (const auto date = service::parse_http_date(text)) {
        require(service::parse_http_date(service::http_date(*date)) == *date);
    }
}

void read_options(std::string_view text) {
    (void)service::negotiate(text, std::nullopt).has_value();
    (void)service::check_content_type(text).has_value();
    (void)service::parse_prefer(text);
    (void)service::check_version(text).has_value();
    const auto query = http::query_string::parse(text);
    if (!query) {
        return;
    }
    if (const auto options = service::parse_query_options(*query)) {
        require(options->rows_max <= 1'000);
    }
    (void)service::parse_timeout_seconds(*query).has_value();
    static const std::vector<std::string> keys{"the key of the fuzz target"};
    for (const auto& target : {service::blob_target{"logs", "web/1.log", false}, service::blob_target{"logs", "", true}}) {
        require(!service::check_blob_sas(*query, target, {"acct", keys}, {.now = base::tick_max}));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read_token(text);
    read_condition(text);
    read_options(text);
    return 0;
}

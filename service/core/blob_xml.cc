#include "service/core/blob_xml.hh"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/checksum.hh"
#include "service/core/text_sink.hh"
#include "service/core/xml_text.hh"

namespace service {
namespace {

std::string element(std::string_view name, std::string_view text) {
    return text_of([&](text_sink& out) { put_xml_element(out, name, text); });
}

std::string escaped(std::string_view text) {
    return text_of([&](text_sink& out) { put_xml_text(out, text); });
}

std::string blob_element(const blob_properties& b, bool with_metadata) {
    std::string xml = "<Blob>" + element("Name", b.name) + "<Properties>";
    xml += element("Creation-Time", http_date(b.first));
    xml += element("Last-Modified", http_date(b.last));
    xml += element("Etag", b.etag());
    xml += element("Content-Length", std::to_string(b.bytes));
    xml += "<Content-Type>text/plain</Content-Type><BlobType>BlockBlob</BlobType><LeaseStatus>unlocked</LeaseStatus>"
           "<LeaseState>available</LeaseState></Properties>";
    if (with_metadata) {
        xml += "<Metadata>" + element("first", base::to_text(b.first)) + element("last", base::to_text(b.last)) +
               element("records", std::to_string(b.records_count)) + "</Metadata>";
    }
    return xml + "</Blob>";
}

std::optional<uint64_t> parse_number(std::string_view digits) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

} // namespace

std::string blob_properties::etag() const {
    return fmt::format("0x{:016X}", base::checksum64(name, bytes));
}

std::string blob_list_xml(std::string_view endpoint, std::string_view container, const blob_list_question& asked,
                          const blob_list_page& page) {
    auto xml = fmt::format(R"({}<EnumerationResults ServiceEndpoint="{}/" ContainerName="{}">)", xml_declaration,
                           escaped(endpoint), container);
    xml += element("Prefix", asked.prefix) + element("Marker", asked.marker);
    xml += element("MaxResults", std::to_string(asked.results_max));
    if (!asked.delimiter.empty()) {
        xml += element("Delimiter", asked.delimiter);
    }
    xml += "<Blobs>";
    for (const auto& b : page.blobs) {
        xml += blob_element(b, asked.with_metadata);
    }
    for (const auto& p : page.prefixes) {
        xml += "<BlobPrefix>" + element("Name", p) + "</BlobPrefix>";
    }
    return xml + "</Blobs>" + element("NextMarker", page.next_marker) + "</EnumerationResults>";
}

std::string container_list_xml(std::string_view endpoint, std::string_view container, base::tick modified) {
    return fmt::format(
        R"({}<EnumerationResults ServiceEndpoint="{}/"><Containers><Container><Name>{}</Name><Properties>)"
        R"(<Last-Modified>{}</Last-Modified><Etag>"0x1"</Etag><LeaseStatus>unlocked</LeaseStatus>)"
        R"(<LeaseState>available</LeaseState></Properties></Container></Containers><NextMarker /></EnumerationResults>)",
        xml_declaration, escaped(endpoint), container, http_date(modified));
}

std::string blob_error_xml(std::string_view code, std::string_view message) {
    return std::string(xml_declaration) + "<Error>" + element("Code", code) + element("Message", message) + "</Error>";
}

std::string http_date(base::tick t) {
    static constexpr std::string_view days = "MonTueWedThuFriSatSun"; // 0001-01-01 was a Monday
    static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const auto iso = base::to_text(t); // YYYY-MM-DDThh:mm:ss...
    const auto day = static_cast<size_t>(t.value / (86'400 * base::ticks_per_second) % 7);
    const auto month = static_cast<size_t>((iso[5] - '0') * 10 + iso[6] - '1');
    return fmt::format("{}, {} {} {} {} GMT", days.substr(3 * day, 3), iso.substr(8, 2), months.substr(3 * month, 3),
                       iso.substr(0, 4), iso.substr(11, 8));
}

std::optional<byte_range> parse_byte_range(std::string_view text, uint64_t bytes) {
    constexpr std::string_view unit = "bytes=";
    const size_t dash = text.find('-');
    if (!text.starts_with(unit) || dash == text.npos) {
        return std::nullopt;
    }
    const auto first = text.substr(unit.size(), dash - unit.size());
    const auto last = text.substr(dash + 1);
    const auto from = parse_number(first);
    const auto to = parse_number(last);
    if (first.empty() && to) {
        const auto count = std::min(*to, bytes);
        return count == 0 ? std::nullopt : std::optional(byte_range{bytes - count, bytes});
    }
    if (!from || (!last.empty() && !to) || *from >= bytes || (to && *to < *from)) {
        return std::nullopt;
    }
    return byte_range{*from, to ? std::min(*to, bytes - 1) + 1 : bytes};
}

} // namespace service

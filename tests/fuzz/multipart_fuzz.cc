// content type LF body: operations come out or an error does. Operations that are written again in the plain layout parse to
// the same ones.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "service/core/limits.hh"
#include "service/core/multipart.hh"

namespace {

constexpr std::string_view outer = "outer-boundary-of-the-fuzz-target";
constexpr std::string_view inner = "inner-boundary-of-the-fuzz-target";

void put_header(std::string& out, std::string_view name, const std::optional<std::string_view>& value) {
    if (value) {
        out.append(name).append(": ").append(*value).append("\r\n");
    }
}

void put_operation(std::string& out, const service::sub_request& request) {
    out.append("Content-Type: application/http\r\n\r\n")
        .append(request.method)
        .append(" ")
        .append(request.target)
        .append(" HTTP/1.1\r\n");
    put_header(out, "accept", request.accept);
    put_header(out, "content-id", request.content_id);
    put_header(out, "content-type", request.content_type);
    put_header(out, "if-match", request.if_match);
    put_header(out, "if-none-match", request.if_none_match);
    put_header(out, "prefer", request.prefer);
    for (const auto value : request.x_http_method) {
        put_header(out, "x-http-method", value);
    }
    out.append("\r\n").append(request.body).append("\r\n");
}

std::string print(const service::batch_request& batch) {
    std::string out = "--" + std::string(outer) + "\r\n";
    if (batch.kind == service::batch_kind::query) {
        put_operation(out, batch.operations[0]);
    } else {
        out.append("Content-Type: multipart/mixed; boundary=").append(inner).append("\r\n\r\n");
        for (const auto& request : batch.operations) {
            out.append("--").append(inner).append("\r\n");
            put_operation(out, request);
        }
        out.append("--").append(inner).append("--\r\n");
    }
    return out.append("--").append(outer).append("--\r\n");
}

bool same(const service::sub_request& a, const service::sub_request& b) {
    return a.method == b.method && a.target == b.target && a.accept == b.accept && a.content_id == b.content_id &&
           a.content_type == b.content_type && a.if_match == b.if_match && a.if_none_match == b.if_none_match &&
           a.prefer == b.prefer && a.x_http_method == b.x_http_method && a.body == b.body;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto line = std::min(input.find('\n'), input.size());
    const auto body = input.substr(std::min(line + 1, input.size()));
    const auto batch = service::parse_batch(input.substr(0, line), body);
    if (!batch) {
        return 0;
    }
    if (batch->operations.empty() || batch->operations.size() > service::batch_operations_max + 1) {
        std::abort();
    }
    if (body.contains(outer) || body.contains(inner)) {
        return 0;
    }
    const auto text = print(*batch);
    const auto again = service::parse_batch("multipart/mixed; boundary=" + std::string(outer), text);
    if (!again || again->kind != batch->kind || again->operations.size() != batch->operations.size()) {
        std::abort();
    }
    for (size_t i = 0; i < batch->operations.size(); ++i) {
        if (!same(batch->operations[i], again->operations[i])) {
            std::abort();
        }
    }
    return 0;
}

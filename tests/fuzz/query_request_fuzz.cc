// Any bytes as parameters of /v1/tail and /v1/range: name=value, one a line. What is taken must keep to its bounds, and a cursor
// of it must come back as it was.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "query/core/native/encoder.hh"
#include "query/core/native/limits.hh"
#include "query/core/native/listing.hh"
#include "query/core/native/request.hh"

namespace {

constexpr int64_t now_ns = 1'794'821'400'000'000'000;

void require(bool law) {
    if (!law) {
        std::abort();
    }
}

void check(const query::request& r) {
    require(!r.from.empty() && r.from.size() <= query::from_items_max);
    require(r.limit > 0 && r.limit <= query::rows_max);
    require(!r.range.is_empty() || r.after.has_value());
    if (r.aggregates) {
        require(!r.aggregates->calls.empty() && r.aggregates->calls.size() <= query::aggregates_max);
        for (const int64_t time : {INT64_MIN, int64_t{-1}, int64_t{0}, now_ns, INT64_MAX}) {
            require(!r.aggregates->every_ns || r.aggregates->bucket_of(time) <= time);
        }
    }
    const query::cursor c{r.fingerprint, r.range,
                          r.after.value_or(query::position{1, {query::origin_kind::family, "f"}, 2, "p", "r"})};
    const auto back = query::decode_cursor(query::encode_cursor(c));
    require(back && *back == c);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    std::vector<query::parameter> parameters;
    while (!rest.empty() && parameters.size() < 64) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const auto equals = std::min(line.find('='), line.size());
        parameters.push_back({line.substr(0, equals), line.substr(std::min(equals + 1, line.size()))});
    }
    for (const auto v : {query::verb::tail, query::verb::range}) {
        if (const auto parsed = query::parse_request(v, parameters, now_ns)) {
            check(*parsed);
        } else {
            require(!parsed.error().detail.empty());
        }
    }
    (void)query::parse_list_page(parameters).has_value();
    if (!parameters.empty()) {
        (void)query::choose_format(parameters[0].name).has_value();
        (void)query::decode_cursor(parameters[0].value).has_value();
    }
    return 0;
}

#include "query/core/native/encoder.hh"

#include <algorithm>
#include <array>
#include <charconv>

#include "query/core/native/arrow_encoder.hh"
#include "query/core/native/csv_encoder.hh"
#include "query/core/native/json_encoder.hh"

namespace query {
namespace {

struct media_type {
    std::string_view name;
    format is;
};
// In the order of preference among equals.
constexpr std::array media_types{
    media_type{"application/json", format::json},
    media_type{"application/x-ndjson", format::ndjson},
    media_type{"text/csv", format::csv},
    media_type{"application/vnd.apache.arrow.stream", format::arrow},
};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

// Takes off what stands before the separator, and the separator.
std::string_view take_part(std::string_view& rest, char separator) {
    const auto part = rest.substr(0, rest.find(separator));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return trimmed(part);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

bool covers(std::string_view range, std::string_view type) {
    if (range == "*/*") {
        return true;
    }
    if (range.ends_with("/*")) {
        return equal_ignoring_case(range.substr(0, range.size() - 1), type.substr(0, type.find('/') + 1));
    }
    return equal_ignoring_case(range, type);
}

double weight_of(std::string_view parameters) {
    while (!parameters.empty()) {
        auto one = take_part(parameters, ';');
        if (one.starts_with("q=") || one.starts_with("Q=")) {
            double weight = 0;
            std::from_chars(one.data() + 2, one.data() + one.size(), weight);
            return weight;
        }
    }
    return 1;
}

} // namespace

std::string_view content_type(format f) {
    return std::ranges::find(media_types, f, &media_type::is)->name;
}

std::optional<format> choose_format(std::string_view accept) {
    if (trimmed(accept).empty()) {
        return format::json;
    }
    std::optional<format> best;
    double best_weight = 0;
    while (!accept.empty()) {
        auto item = take_part(accept, ',');
        const auto range = take_part(item, ';');
        const double weight = weight_of(item);
        const auto found = std::ranges::find_if(media_types, [&](const media_type& m) { return covers(range, m.name); });
        if (found != media_types.end() && weight > best_weight) {
            best = found->is;
            best_weight = weight;
        }
    }
    return best;
}

std::unique_ptr<encoder> make_encoder(format f, const column_set& columns, const answer_facts& facts) {
    switch (f) {
    case format::json: return make_json_encoder();
    case format::ndjson: return make_ndjson_encoder();
    case format::csv: return make_csv_encoder(columns);
    case format::arrow: return make_arrow_encoder(columns, facts);
    }
    return nullptr;
}

} // namespace query

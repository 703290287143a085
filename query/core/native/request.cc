#include "query/core/native/request.hh"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/checksum.hh"
#include "base/coding.hh"
#include "query/core/filter_parser.hh"
#include "query/core/native/limits.hh"
#include "query/core/native/name_list.hh"
#include "query/core/time_text.hh"
#include "tables/core/unicode.hh"

namespace query {
namespace {

using base::expected;

template <class... Args>
std::unexpected<base::error> refuse(fmt::format_string<Args...> text, Args&&... args) {
    return base::fail(base::errc::invalid_argument, fmt::format(text, std::forward<Args>(args)...));
}

// For those who write x > 5, as other languages have it.
constexpr std::string_view language_hint =
    " It is written as in host eq 'a' and (usage gt 5 or not contains(message,'x')); eq ne lt le gt ge "
    "compare.";

class request_parser {
public:
    request_parser(verb v, std::span<const parameter> parameters, int64_t now_ns) : _parameters(parameters) {
        _request.verb = v;
        _request.now_ns = now_ns;
        _request.order = v == verb::tail ? order_kind::descending : order_kind::ascending;
    }

    // The cursor comes before what has times in it: those are relative to the first page.
    expected<request> parse() {
        const auto steps = {&request_parser::check_parameters, &request_parser::read_cursor, &request_parser::read_from,
                            &request_parser::read_times,       &request_parser::read_shape,  &request_parser::read_filter,
                            &request_parser::read_aggregates,  &request_parser::read_follow};
        for (const auto step : steps) {
            if (auto done = (this->*step)(); !done) {
                return std::unexpected(done.error());
            }
        }
        return std::move(_request);
    }

private:
    std::optional<std::string_view> find(std::string_view name) const {
        const auto found = std::ranges::find(_parameters, name, &parameter::name);
        return found == _parameters.end() ? std::nullopt : std::optional(found->value);
    }

    // A parameter that is misspelled would otherwise be a filter that is silently not there.
    expected<void> check_parameters() {
        static constexpr std::string_view of_tail[] = {"from", "n", "partition", "where", "select", "follow"};
        static constexpr std::string_view of_range[] = {"from",  "start", "end",   "partition", "where", "select",
                                                        "order", "limit", "every", "agg",       "by",    "cursor"};
        const auto known = _request.verb == verb::tail ? std::span<const std::string_view>(of_tail) : of_range;
        for (size_t i = 0; i < _parameters.size(); ++i) {
            const auto name = _parameters[i].name;
            if (!tables::is_utf8(name)) {
                return refuse("the name of a parameter is not UTF-8");
            }
            if (!std::ranges::contains(known, name)) {
                return refuse("there is no parameter '{}' here; there are {}", name, fmt::join(known, ", "));
            }
            if (std::ranges::contains(_parameters.first(i), name, &parameter::name)) {
                return refuse("{} is there twice", name);
            }
            // Names that are stored are; what reads these rests on it.
            if (!tables::is_utf8(_parameters[i].value)) {
                return refuse("{} is not UTF-8", name);
            }
        }
        return {};
    }

    // Up to the next comma, and takes that off, too. As in line protocol a backslash stands before a comma that is part of a
    // name, and before a backslash that is; before anything else it is itself.
    static std::string take_name(std::string_view& rest) {
        std::string name;
        size_t at = 0;
        for (; at < rest.size() && rest[at] != ','; ++at) {
            const bool is_escape = rest[at] == '\\' && at + 1 < rest.size() && (rest[at + 1] == ',' || rest[at + 1] == '\\');
            at += is_escape ? 1 : 0;
            name += rest[at];
        }
        rest.remove_prefix(std::min(rest.size(), at + 1));
        return name;
    }

    expected<void> read_from() {
        auto rest = find("from").value_or("");
        while (!rest.empty()) {
            const auto text = take_name(rest);
            auto item = parse_from_item(text);
            if (item.name.empty() && item.what != from_item::kind::everything) {
                return refuse("from: '{}' has no name", text);
            }
            if (!std::ranges::contains(_request.from, item)) {
                _request.from.push_back(std::move(item));
            }
            if (_request.from.size() > from_items_max) {
                return refuse("from: more than {} names", from_items_max);
            }
        }
        if (_request.from.empty()) {
            return refuse("from is missing: a family or source, family:NAME, source:NAME, table:NAME, or *");
        }
        return {};
    }

    static from_item parse_from_item(std::string_view text) {
        using kind = from_item::kind;
        if (text == "*") {
            return {kind::everything, {}};
        }
        static constexpr std::pair<std::string_view, kind> prefixes[] = {
            {"family:", kind::family}, {"source:", kind::source}, {"table:", kind::table}};
        for (const auto& [prefix, what] : prefixes) {
            if (text.starts_with(prefix)) {
                return {what, std::string(text.substr(prefix.size()))};
            }
        }
        return {kind::stream, std::string(text)};
    }

    expected<void> read_times() {
        for (auto [name, to] : {std::pair{"start", &time_range::start_ns}, std::pair{"end", &time_range::end_ns}}) {
            const auto text = find(name);
            if (!text || text->empty()) {
                continue;
            }
            const auto time = parse_time_ns(*text, _request.now_ns);
            if (!time && base::parse_time(*text)) {
                return refuse("{}: '{}' is outside the years 1677 to 2262, which times of rows are within", name, *text);
            }
            if (!time) {
                return refuse("{}: '{}' is not a time: RFC 3339 (its + is %2B in a URL), Unix time, or relative as in -15m", name,
                              *text);
            }
            _request.range.*to = *time;
        }
        if (_range_of_first_page) {
            _request.range = *_range_of_first_page;
        } else if (_request.range.is_empty()) {
            return refuse("start is not before end");
        }
        return {};
    }

    expected<void> read_shape() {
        const bool is_tail = _request.verb == verb::tail;
        const std::string_view limit_name = is_tail ? "n" : "limit";
        _request.limit = is_tail ? tail_rows_default : range_rows_default;
        if (const auto text = find(limit_name)) {
            const auto [end, status] = std::from_chars(text->data(), text->data() + text->size(), _request.limit);
            if (status != std::errc() || end != text->data() + text->size() || _request.limit == 0 || _request.limit > rows_max) {
                return refuse("{}: '{}' is not a number from 1 to {}", limit_name, *text, rows_max);
            }
        }
        if (const auto text = find("order")) {
            if (*text != "asc" && *text != "desc") {
                return refuse("order: '{}' is neither asc nor desc", *text);
            }
            _request.order = *text == "asc" ? order_kind::ascending : order_kind::descending;
        }
        if (const auto text = find("partition")) {
            _request.partition = *text;
        }
        if (const auto text = find("select")) {
            auto names = parse_names("select", *text);
            if (!names) {
                return std::unexpected(names.error());
            }
            _request.select = std::move(*names);
        }
        return {};
    }

    expected<void> read_filter() {
        auto parsed = parse_filter(find("where").value_or(""), dialect::native, _request.now_ns);
        if (!parsed) {
            const auto& why = parsed.error().message;
            return refuse("where: {}{}", why, why.starts_with("Syntax error") ? language_hint : std::string_view());
        }
        _request.where = std::move(*parsed);
        return {};
    }

    expected<void> read_aggregates() {
        const auto list = find("agg");
        if (!list) {
            return find("every") || find("by") ? refuse("every and by go with agg, as in agg=max(usage_user)") : expected<void>();
        }
        if (_request.select) {
            return refuse("select does not go with agg: the columns are those of agg and by");
        }
        auto calls = parse_aggregates(*list);
        if (!calls) {
            return std::unexpected(calls.error());
        }
        _request.aggregates.emplace(std::move(*calls));
        return read_groups();
    }

    expected<void> read_groups() {
        auto& aggregates = *_request.aggregates;
        if (const auto text = find("every")) {
            aggregates.every_ns = parse_duration_ns(*text);
            if (!aggregates.every_ns) {
                return refuse("every: '{}' is not a length of time like 30s, 5m or 1d", *text);
            }
        }
        const bool has_rate = std::ranges::contains(aggregates.calls, aggregate_kind::rate, &aggregate_call::kind);
        const bool is_open = _request.range.start_ns == time_range::always || _request.range.end_ns == time_range::forever;
        if (has_rate && !aggregates.every_ns && is_open) {
            return refuse("agg: a rate needs every, or start and end");
        }
        const auto text = find("by");
        auto names = text ? parse_names("by", *text) : std::vector<subject>();
        if (!names) {
            return std::unexpected(names.error());
        }
        for (auto& by : *names) {
            if (by.scope == name_scope::field) {
                return refuse("by: groups are by tags, not by fields");
            }
            if (std::ranges::contains(aggregates.by_tags, by.name)) {
                return refuse("by: {} is there twice", by.name);
            }
            aggregates.by_tags.push_back(std::move(by.name));
        }
        return {};
    }

    expected<void> read_follow() {
        const auto text = find("follow");
        if (text && *text != "true" && *text != "false") {
            return refuse("follow: '{}' is neither true nor false", *text);
        }
        _request.follow = text == "true";
        return {};
    }

    // A page must go on with the question of the page before, but may have another size. Relative times are those of the first
    // page, so their texts count and not their values.
    uint64_t fingerprint() const {
        std::string text;
        for (const auto& p : _parameters) {
            if (p.name != "cursor" && p.name != "limit") {
                base::put_bytes(text, p.name);
                base::put_bytes(text, p.value);
            }
        }
        return base::stable_hash(text);
    }

    expected<void> read_cursor() {
        _request.fingerprint = fingerprint();
        const auto text = find("cursor");
        if (!text || text->empty()) {
            return {};
        }
        auto decoded = decode_cursor(*text);
        if (!decoded) {
            return std::unexpected(decoded.error());
        }
        if (decoded->request != _request.fingerprint) {
            return refuse("cursor: it belongs to another query; send the same parameters in the same order");
        }
        _range_of_first_page = decoded->range;
        _request.after = std::move(decoded->last);
        _request.now_ns = decoded->now_ns.value_or(_request.now_ns);
        return {};
    }

    std::span<const parameter> _parameters;
    std::optional<time_range> _range_of_first_page; // from the cursor
    request _request;
};

} // namespace

expected<request> parse_request(verb v, std::span<const parameter> parameters, int64_t now_ns) {
    return request_parser(v, parameters, now_ns).parse();
}

} // namespace query

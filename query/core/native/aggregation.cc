#include "query/core/native/aggregation.hh"

#include <algorithm>

#include <fmt/format.h>

#include "query/core/filter_lexer.hh"
#include "query/core/filter_operand.hh"
#include "query/core/native/limits.hh"
#include "query/core/native/name_list.hh"

namespace query {
namespace {

struct named_kind {
    std::string_view name;
    aggregate_kind kind;
};
constexpr named_kind kinds[] = {
    {"count", aggregate_kind::count}, {"sum", aggregate_kind::sum},       {"min", aggregate_kind::min},
    {"max", aggregate_kind::max},     {"avg", aggregate_kind::avg},       {"first", aggregate_kind::first},
    {"last", aggregate_kind::last},   {"stddev", aggregate_kind::stddev}, {"p50", aggregate_kind::p50},
    {"p90", aggregate_kind::p90},     {"p95", aggregate_kind::p95},       {"p99", aggregate_kind::p99},
    {"rate", aggregate_kind::rate},   {"mean", aggregate_kind::avg},
};

auto refuse_agg(std::string_view why) {
    return base::fail(base::errc::invalid_argument, fmt::format("agg: {}", why));
}

base::expected<aggregate_call> parse_one(lexer& tokens) {
    const auto function = tokens.next();
    const auto* found = std::ranges::find(kinds, function.text, &named_kind::name);
    if (found == std::end(kinds)) {
        return refuse_agg(fmt::format("'{}' is none of count, sum, min, max, avg, first, last, stddev, p50, p90, p95, p99, rate",
                                      function.text));
    }
    if (tokens.next().kind != token_kind::open) {
        return refuse_agg(fmt::format("expected a field in parentheses behind {}", function.text));
    }
    aggregate_call call{found->kind, {}, {}};
    const auto argument = tokens.next();
    if (const auto name = read_operand(argument, dialect::native); name && name->name) {
        if (name->name->scope == name_scope::tag) {
            return refuse_agg("aggregates are over fields; count takes a tag by its plain name");
        }
        if (name->name->scope == name_scope::any && name->name->name == "time") {
            return refuse_agg("time is of each row and not a field: count(*) counts rows; field.time is a field of that name");
        }
        call.field = name->name->name;
        call.is_field_only = name->name->scope == name_scope::field;
    } else if (argument.text != "*" || call.kind != aggregate_kind::count) {
        return refuse_agg(fmt::format("'{}' is not a field; only count takes *", argument.text));
    }
    if (tokens.next().kind != token_kind::close) {
        return refuse_agg(fmt::format("expected a closing parenthesis behind {}", argument.text));
    }
    const auto spelled = call.field.empty() ? "*" : to_text({name_scope::any, call.field});
    call.label = fmt::format("{}({})", function.text, spelled);
    return call;
}

} // namespace

int64_t aggregation::bucket_of(int64_t time_ns) const {
    const int64_t below = time_ns % *every_ns;
    // The first bucket of all begins before what 64 bits can hold.
    int64_t start = 0;
    const bool overflows = __builtin_sub_overflow(time_ns, below < 0 ? below + *every_ns : below, &start);
    return overflows ? std::numeric_limits<int64_t>::min() : start;
}

base::expected<std::vector<aggregate_call>> parse_aggregates(std::string_view text) {
    std::vector<aggregate_call> calls;
    lexer tokens(text, dialect::native);
    for (;;) {
        auto call = parse_one(tokens);
        if (!call) {
            return std::unexpected(call.error());
        }
        if (std::ranges::contains(calls, call->label, &aggregate_call::label)) {
            return refuse_agg(fmt::format("{} is there twice", call->label));
        }
        calls.push_back(std::move(*call));
        const auto behind = tokens.next();
        if (behind.kind == token_kind::end) {
            return calls;
        }
        if (behind.kind != token_kind::comma) {
            return refuse_agg(fmt::format("expected a comma before '{}'", behind.text));
        }
        if (calls.size() == aggregates_max) {
            return refuse_agg(fmt::format("more than {} of them", aggregates_max));
        }
    }
}

} // namespace query

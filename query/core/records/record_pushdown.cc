#include "query/core/records/record_pushdown.hh"

#include <algorithm>
#include <vector>

namespace query {
namespace {

// The conditions that all must hold: what stands directly under the outermost `and`, or alone.
std::vector<const node*> conjuncts(const filter& f) {
    std::vector<std::vector<const node*>> stack;
    for (const auto& n : f.postfix()) {
        if (is_condition(n.kind)) {
            stack.push_back({&n});
        } else if (n.kind == node_kind::negation) {
            stack.back().clear();
        } else {
            std::vector<const node*> all;
            for (size_t i = stack.size() - n.operands_count; i < stack.size(); ++i) {
                all.insert(all.end(), stack[i].begin(), stack[i].end());
            }
            stack.resize(stack.size() - n.operands_count);
            stack.push_back(n.kind == node_kind::conjunction ? std::move(all) : std::vector<const node*>());
        }
    }
    return stack.empty() ? std::vector<const node*>() : std::move(stack.front());
}

bool compares(comparison op, int64_t a, int64_t b) {
    switch (op) {
    case comparison::eq: return a == b;
    case comparison::ne: return a != b;
    case comparison::lt: return a < b;
    case comparison::le: return a <= b;
    case comparison::gt: return a > b;
    case comparison::ge: return a >= b;
    }
    return true;
}

// A record without a level passes no comparison.
blobs::level_set levels_for(const node& n, int64_t against) {
    blobs::level_set levels = 0;
    for (uint8_t l = 0; l < blobs::level_none; ++l) {
        if (compares(n.op, l, against)) {
            levels |= blobs::level_bit(l);
        }
    }
    return levels;
}

// Both say whether the predicate now says all that the condition does.
bool push_text(const node& n, std::string argument, blobs::record_predicate& out) {
    using kind = blobs::text_test::kind;
    switch (n.kind) {
    case node_kind::contains: out.texts.push_back({.test = kind::contains, .argument = std::move(argument)}); return true;
    case node_kind::starts_with: out.texts.push_back({.test = kind::starts_with, .argument = std::move(argument)}); return true;
    case node_kind::ends_with: out.texts.push_back({.test = kind::ends_with, .argument = std::move(argument)}); return true;
    case node_kind::matches_pattern: out.texts.push_back({.test = kind::matches, .argument = std::move(argument)}); return true;
    case node_kind::compare:
        if (n.op == comparison::eq) {
            out.texts.push_back({.test = kind::equals, .argument = std::move(argument)});
        }
        return false;
    default: return false;
    }
}

bool push_one(const filter& f, const node& n, blobs::record_predicate& out) {
    if (n.kind == node_kind::constant || n.kind == node_kind::holds) {
        return false;
    }
    const auto& about = f.subject_of(n);
    const auto against = f.literal_of(n).value();
    const bool is_own = about.scope == name_scope::any;
    if (is_own && about.name == "level" && n.kind == node_kind::compare && against.type() == tables::value_type::int32) {
        out.levels &= levels_for(n, against.as_int32());
        return true;
    }
    if (against.type() != tables::value_type::string || about.scope == name_scope::tag) {
        return false;
    }
    const std::string argument(against.as_string());
    if (is_own && about.name == "message") {
        return push_text(n, argument, out);
    }
    if (n.kind != node_kind::compare || n.op != comparison::eq || argument.empty()) {
        return false;
    }
    if (is_own && about.name == "host") {
        out.host = argument;
    } else if (is_own && about.name == "app") {
        out.app = argument;
    } else if (!is_own || (about.name != "level" && about.name != "time" && about.name != "source")) {
        out.fields.push_back({about.name, argument});
    }
    return false;
}

} // namespace

pushed_filter push_down(const filter& f) {
    pushed_filter out{.is_all = std::ranges::all_of(
                          f.postfix(), [](const node& n) { return is_condition(n.kind) || n.kind == node_kind::conjunction; })};
    for (const auto* n : conjuncts(f)) {
        out.is_all &= push_one(f, *n, out.where);
    }
    return out;
}

} // namespace query

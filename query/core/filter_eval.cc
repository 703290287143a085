#include "query/core/filter_eval.hh"

#include <cassert>
#include <cstring>
#include <map>

#include <fmt/format.h>

namespace query {
namespace {

using tables::value_type;

constexpr uint16_t none = 0xffff;

// Where a node stands in the tree. Its subtree is [begin, itself], and what is at begin is always a condition.
struct place {
    uint16_t begin;
    uint16_t parent = none;
    uint16_t next = none; // the operand behind it of the same parent
};

std::vector<place> places_of(std::span<const node> nodes) {
    std::vector<place> places;
    std::vector<uint16_t> complete; // subtrees without a parent yet
    places.reserve(nodes.size());
    for (size_t at = 0; at < nodes.size(); ++at) {
        const auto i = static_cast<uint16_t>(at);
        const size_t count = is_condition(nodes[i].kind) ? 0 : nodes[i].kind == node_kind::negation ? 1 : nodes[i].operands_count;
        assert(count <= complete.size());
        const auto operands = std::span(complete).last(count);
        places.push_back({.begin = count == 0 ? i : places[operands.front()].begin});
        for (size_t k = 0; k < count; ++k) {
            places[operands[k]].parent = i;
            places[operands[k]].next = k + 1 < count ? operands[k + 1] : none;
        }
        complete.resize(complete.size() - count);
        complete.push_back(i);
    }
    return places;
}

// memmem, not find: it stays linear for every text and every argument. It must not see the null of an empty view.
bool contains(std::string_view text, std::string_view part) {
    if (part.empty() || part.size() > text.size()) {
        return part.empty();
    }
    return ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

} // namespace

std::expected<program, filter_error> program::compile(filter f) {
    program p(std::move(f));
    if (auto added = p.add_tests(); !added) {
        return std::unexpected(std::move(added.error()));
    }
    p.add_jumps();
    return p;
}

std::expected<void, filter_error> program::add_pattern(std::string_view text) {
    if (_patterns.size() == patterns_count_max) {
        return std::unexpected(
            filter_error{filter_errc::too_large, 0, fmt::format("The filter has more than {} patterns.", patterns_count_max)});
    }
    auto pattern = text_pattern::compile(text);
    if (!pattern) {
        return std::unexpected(filter_error{filter_errc::bad_pattern, 0, std::move(pattern.error())});
    }
    _patterns.push_back(std::move(*pattern));
    return {};
}

std::expected<void, filter_error> program::add_tests() {
    std::map<subject, uint16_t> slots;
    _tests.reserve(_filter.postfix().size());
    for (const node& n : _filter.postfix()) {
        if (!is_condition(n.kind) || n.kind == node_kind::constant) {
            continue;
        }
        const auto& about = _filter.subject_of(n);
        const auto [slot, is_new] = slots.try_emplace(about, static_cast<uint16_t>(_slots.size()));
        if (is_new) {
            _slots.push_back(about);
        }
        test t{.kind = n.kind,
               .accepted = accepted_by(n.op),
               .slot = slot->second,
               .pattern = static_cast<uint16_t>(_patterns.size()),
               .if_true = accept,
               .if_false = reject,
               .against = n.kind == node_kind::holds ? tables::value::of_boolean(true) : _filter.literal_of(n).value()};
        if (n.kind == node_kind::matches_pattern) {
            if (auto added = add_pattern(t.against.as_string()); !added) {
                return added;
            }
        }
        _tests.push_back(t);
    }
    return {};
}

// From the last node to the first: every operator before its operands, every operand before the one to its left. So the
// places to go to are known when a node is reached.
void program::add_jumps() {
    struct exits {
        uint16_t if_true;
        uint16_t if_false;
    };
    const auto nodes = _filter.postfix();
    const auto places = places_of(nodes);
    std::vector<exits> ways(nodes.size());
    std::vector<uint16_t> entries(nodes.size()); // of conditions
    size_t tests_left = _tests.size();
    for (size_t i = nodes.size(); i-- > 0;) {
        exits out{accept, reject};
        if (places[i].parent != none) {
            const auto parent = nodes[places[i].parent].kind;
            out = ways[places[i].parent];
            if (parent == node_kind::negation) {
                std::swap(out.if_true, out.if_false);
            } else if (places[i].next != none) {
                (parent == node_kind::conjunction ? out.if_true : out.if_false) = entries[places[places[i].next].begin];
            }
        }
        ways[i] = out;
        if (nodes[i].kind == node_kind::constant) {
            entries[i] = nodes[i].literal != 0 ? out.if_true : out.if_false;
        } else if (is_condition(nodes[i].kind)) {
            entries[i] = static_cast<uint16_t>(--tests_left);
            assert(out.if_true > tests_left && out.if_false > tests_left);
            _tests[tests_left].if_true = out.if_true;
            _tests[tests_left].if_false = out.if_false;
        }
    }
    assert(tests_left == 0);
    _entry = nodes.empty() ? accept : entries[0];
}

bool program::passes(const test& t, const std::optional<tables::value>& v) const {
    if (!v) {
        return false;
    }
    if (t.kind == node_kind::compare) {
        return (order_of(*v, t.against, _filter.numbers()) & t.accepted) != 0;
    }
    if (t.kind == node_kind::holds) {
        return v->type() == value_type::boolean && v->as_boolean();
    }
    if (v->type() != value_type::string) {
        return false;
    }
    const auto text = v->as_string();
    switch (t.kind) {
    case node_kind::contains: return contains(text, t.against.as_string());
    case node_kind::starts_with: return text.starts_with(t.against.as_string());
    case node_kind::ends_with: return text.ends_with(t.against.as_string());
    default: return _patterns[t.pattern].is_found_in(text);
    }
}

} // namespace query

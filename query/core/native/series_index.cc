#include "query/core/native/series_index.hh"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <new>
#include <span>

#include "base/checksum.hh"
#include "query/core/native/tag_conditions.hh"
#include "tables/core/key.hh"

namespace query {
namespace {

// Of a list: the least and the most members of a further piece.
constexpr uint32_t piece_members_min = 3;
constexpr uint32_t piece_members_max = 1024;

} // namespace

void series_index::append(list& to, const series& s) {
    if (to.count++ == 0) {
        to.first = &s;
        return;
    }
    if (to.rest == nullptr || to.rest->count == to.rest->capacity) {
        const auto capacity = to.rest == nullptr ? piece_members_min : std::min(2 * to.rest->capacity, piece_members_max);
        to.rest = new (_memory.allocate(sizeof(piece) + capacity * sizeof(series*))) piece{to.rest, 0, capacity};
    }
    to.rest->members()[to.rest->count++] = &s;
}

series_index::posting& series_index::posting_of(uint64_t hash) {
    if (auto* const known = _postings.find(hash, [](const posting&) { return true; })) {
        return *known;
    }
    auto* const made = new (_memory.allocate(sizeof(posting))) posting{};
    made->hash = hash;
    _postings.insert(*made, _memory);
    _digest->add_tag(hash);
    return *made;
}

series_index::list& series_index::kind_of(std::span<const tables::tag> tags) {
    _kind_name.clear();
    for (const auto& t : tags) {
        _kind_name += std::to_string(t.name.size());
        _kind_name += ' ';
        _kind_name += t.name;
    }
    const auto [found, is_new] = _kinds.try_emplace(_kind_name);
    if (is_new) {
        for (const auto& t : tags) {
            found->second.names.emplace_back(t.name);
            _kinds_bytes += sizeof(std::string) + t.name.size();
        }
        _kinds_bytes += sizeof(kind) + _kind_name.size();
        _digest->add_kind(found->second.names);
    }
    return found->second.members;
}

void series_index::add(std::string_view partition_key) {
    const auto hash = base::stable_hash(partition_key);
    if (_series.find(hash, [&](const series& s) { return s.key() == partition_key; }) != nullptr) {
        return;
    }
    auto* const made = new (_memory.allocate(sizeof(series) + partition_key.size()))
        series{hash, nullptr, static_cast<uint32_t>(partition_key.size())};
    std::ranges::copy(partition_key, reinterpret_cast<char*>(made + 1));
    _series.insert(*made, _memory);
    _tags.enter(tables::uncollate(partition_key, _text), _spread);
    append(kind_of(_tags.tags()), *made);
    for (const auto& t : _tags.tags()) {
        append(posting_of(tag_hash(t.name, t.value)).members, *made);
    }
}

series_index::choice series_index::choose(const subject& about, const literal& value) const {
    if (about.scope == name_scope::any && _kinds.size() > series_kinds_max) {
        return {};
    }
    choice found{.is_all = false};
    const auto take = [&](const list& l) {
        found.lists.push_back(&l);
        found.count += l.count;
    };
    const auto hash = tag_hash(about.name, value.value().as_string());
    if (const auto* const p = _postings.find(hash, [](const posting&) { return true; })) {
        take(p->members);
    }
    if (about.scope == name_scope::any) {
        for (const auto& [joined, k] : _kinds) {
            if (!std::ranges::contains(k.names, about.name)) {
                take(k.members);
            }
        }
    }
    return found;
}

// The operands of an operator become what it lets through.
void series_index::join(std::vector<choice>& choices, const node& op) {
    if (op.kind == node_kind::negation) {
        choices.back() = {};
        return;
    }
    assert(op.operands_count <= choices.size());
    const auto first = choices.end() - op.operands_count;
    choice joined;
    if (op.kind == node_kind::conjunction) {
        joined = *std::min_element(first, choices.end(), [](const choice& a, const choice& b) {
            return std::pair(a.is_all, a.count) < std::pair(b.is_all, b.count);
        });
    } else if (std::none_of(first, choices.end(), [](const choice& c) { return c.is_all; })) {
        joined.is_all = false;
        for (auto c = first; c != choices.end(); ++c) {
            joined.count += c->count;
            joined.lists.insert(joined.lists.end(), c->lists.begin(), c->lists.end());
        }
    }
    choices.erase(first, choices.end());
    choices.push_back(std::move(joined));
}

series_index::choice series_index::choose(const filter& where) const {
    std::vector<choice> choices; // of subtrees without a parent yet
    for (const node& n : where.postfix()) {
        if (!is_condition(n.kind)) {
            join(choices, n);
        } else if (is_tag_condition(where, n)) {
            choices.push_back(choose(where.subject_of(n), where.literal_of(n)));
        } else {
            choices.push_back({.is_all = n.kind != node_kind::constant || n.literal != 0});
        }
    }
    return choices.empty() ? choice{} : std::move(choices.back());
}

std::optional<std::vector<std::string_view>> series_index::find(const filter& where, size_t count_max) const {
    const auto chosen = choose(where);
    if (chosen.is_all || chosen.count > count_max) {
        return std::nullopt;
    }
    std::vector<std::string_view> keys;
    keys.reserve(chosen.count);
    for (const auto* l : chosen.lists) {
        if (l->first != nullptr) {
            keys.push_back(l->first->key());
        }
        for (const piece* p = l->rest; p != nullptr; p = p->next) {
            std::ranges::transform(p->members(), p->members() + p->count, std::back_inserter(keys), &series::key);
        }
    }
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    return keys;
}

size_t series_index::bytes() const {
    return sizeof(series_index) + _digest->bytes() + _memory.bytes() + _series.heap_bytes() + _postings.heap_bytes() +
           _kinds_bytes;
}

} // namespace query

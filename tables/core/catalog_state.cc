#include "tables/core/catalog_state.hh"

#include <algorithm>

#include <fmt/format.h>

namespace tables {
namespace {

// Of an edit in the history: its frame, numbers and lengths, and then its texts.
constexpr size_t edit_overhead_bytes = 96;

size_t history_bytes(const table_info& t) {
    return edit_overhead_bytes + t.account.size() + t.name.size() + (t.family ? t.family->family.size() : 0);
}
size_t history_bytes(std::string_view account, std::string_view key, std::string_view value) {
    return edit_overhead_bytes + account.size() + key.size() + value.size();
}

} // namespace

std::string folded(std::string_view name) {
    std::string result(name);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        }
    }
    return result;
}

base::expected<void> catalog_state::check_create(const table_info& table) const {
    if (_by_name.contains({table.account, folded(table.name)})) {
        return base::fail(base::errc::table_exists, table.name);
    }
    if (table.id < _next_id) {
        return base::fail(base::errc::corrupt, fmt::format("table id {} was given before", table.id.value));
    }
    if (_by_id.size() >= tables_count_max) {
        return base::fail(base::errc::too_many_tables, fmt::format("there are {} tables, the most there may be", _by_id.size()));
    }
    return {};
}

base::expected<void> catalog_state::check(const catalog_edit& edit) const {
    if (const auto* e = std::get_if<create_table_edit>(&edit)) {
        return check_create(e->table);
    }
    const auto* drop = std::get_if<drop_table_edit>(&edit);
    const auto* attribute = std::get_if<attribute_edit>(&edit);
    const auto id = drop != nullptr ? drop->id : attribute != nullptr ? attribute->id : base::table_id{};
    const bool needs_table = drop != nullptr || id.value != 0;
    if (needs_table && find(id) == nullptr) {
        return base::fail(base::errc::table_not_found, fmt::format("table id {}", id.value));
    }
    return {};
}

base::expected<void> catalog_state::check_room(const catalog_edit& edit) const {
    size_t more = 0;
    const auto* const create = std::get_if<create_table_edit>(&edit);
    if (create != nullptr) {
        more = history_bytes(create->table);
    } else if (const auto* a = std::get_if<attribute_edit>(&edit); a && !a->value.empty()) {
        const auto was = attribute(a->id, a->account, a->key);
        const bool is_shorter = !was.empty() && a->value.size() <= was.size();
        more = is_shorter ? 0 : history_bytes(a->account, a->key, a->value);
    }
    if (more > 0 && _bytes + more > catalog_bytes_max) {
        return base::fail(create != nullptr ? base::errc::too_many_tables : base::errc::out_of_space,
                          fmt::format("tables, their policies and retention take {} MB of the catalog, the most they may; drop "
                                      "tables or policies first",
                                      _bytes >> 20));
    }
    return {};
}

void catalog_state::create(const table_info& table) {
    _bytes += history_bytes(table);
    _by_id.emplace(table.id.value, table);
    _by_name.emplace(name_key{table.account, folded(table.name)}, table.id.value);
    _next_id = base::table_id{table.id.value + 1};
}

void catalog_state::drop(base::table_id id) {
    const auto found = _by_id.find(id.value);
    _bytes -= history_bytes(found->second);
    _by_name.erase({found->second.account, folded(found->second.name)});
    _by_id.erase(found);
    remove(_attributes.lower_bound({id.value, {}, {}}), _attributes.lower_bound({id.value + 1, {}, {}}));
}

void catalog_state::remove(std::map<attribute_key, std::string>::iterator begin,
                           std::map<attribute_key, std::string>::iterator end) {
    for (auto at = begin; at != end; ++at) {
        _bytes -= history_bytes(at->first.account, at->first.key, at->second);
    }
    _attributes.erase(begin, end);
}

// An empty value takes it away.
void catalog_state::set(const attribute_edit& edit) {
    const auto [begin, end] = _attributes.equal_range({edit.id.value, edit.account, edit.key});
    remove(begin, end);
    if (!edit.value.empty()) {
        _bytes += history_bytes(edit.account, edit.key, edit.value);
        _attributes[{edit.id.value, edit.account, edit.key}] = edit.value;
    }
}

base::expected<void> catalog_state::apply(const catalog_edit& edit) {
    if (auto fits = check(edit); !fits) {
        return fits;
    }
    if (const auto* e = std::get_if<create_table_edit>(&edit)) {
        create(e->table);
    } else if (const auto* e = std::get_if<drop_table_edit>(&edit)) {
        drop(e->id);
    } else if (const auto* e = std::get_if<next_id_edit>(&edit)) {
        _next_id = std::max(_next_id, e->id);
    } else {
        set(std::get<attribute_edit>(edit));
    }
    return {};
}

const table_info* catalog_state::find(base::table_id id) const {
    const auto found = _by_id.find(id.value);
    return found == _by_id.end() ? nullptr : &found->second;
}

const table_info* catalog_state::find(std::string_view account, std::string_view name) const {
    const auto found = _by_name.find({std::string(account), folded(name)});
    return found == _by_name.end() ? nullptr : &_by_id.at(found->second);
}

std::vector<table_info> catalog_state::list(std::string_view account, std::string_view from, size_t count) const {
    std::vector<table_info> result;
    for (auto it = _by_name.lower_bound({std::string(account), std::string(from)});
         it != _by_name.end() && it->first.first == account && result.size() < count; ++it) {
        result.push_back(_by_id.at(it->second));
    }
    return result;
}

std::vector<std::pair<std::string, std::string>> catalog_state::attributes(std::string_view account,
                                                                           std::string_view prefix) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (auto at = _attributes.lower_bound({0, std::string(account), std::string(prefix)}); at != _attributes.end(); ++at) {
        if (at->first.id != 0 || at->first.account != account || !at->first.key.starts_with(prefix)) {
            break;
        }
        found.emplace_back(at->first.key.substr(prefix.size()), at->second);
    }
    return found;
}

std::string_view catalog_state::attribute(base::table_id id, std::string_view account, std::string_view key) const {
    const auto found = _attributes.find({id.value, std::string(account), std::string(key)});
    return found == _attributes.end() ? std::string_view() : found->second;
}

std::vector<catalog_edit> catalog_state::snapshot() const {
    std::vector<catalog_edit> edits;
    for (const auto& [id, table] : _by_id) {
        edits.emplace_back(create_table_edit{table});
    }
    edits.emplace_back(next_id_edit{_next_id});
    for (const auto& [key, value] : _attributes) {
        edits.emplace_back(attribute_edit{base::table_id{key.id}, key.account, key.key, value});
    }
    return edits;
}

} // namespace tables

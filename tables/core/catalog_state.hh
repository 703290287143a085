// All tables there are: the sum of the catalog's edits. Every shard has one, fed with the same edits in the same order.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tables/core/catalog_edit.hh"

namespace tables {

// Each costs some hundred bytes on every shard and a line of the catalog; a listing must stay a listing.
constexpr size_t tables_count_max = 100'000;
// What the shortest history of it may take. Its edit log is longer by what drops and removals need until it is written anew:
// those must always be taken, and names and attributes come from outside.
constexpr size_t catalog_bytes_max = 24 << 20;

// Table names compare without regard to case.
std::string folded(std::string_view name);

class catalog_state {
public:
    // Whether the edit fits: no id or name twice, no drop of what is not there, no table too many.
    base::expected<void> check(const catalog_edit&) const;
    // Whether there is room for what it adds: too_many_tables, out_of_space. What takes away always has room. Not asked when a
    // history is read.
    base::expected<void> check_room(const catalog_edit&) const;
    // Fails, and changes nothing, when it does not fit.
    base::expected<void> apply(const catalog_edit&);

    const table_info* find(base::table_id) const;
    const table_info* find(std::string_view account, std::string_view name) const;
    // In the order of folded names, those at or after `from` (folded), at most `count`.
    std::vector<table_info> list(std::string_view account, std::string_view from, size_t count) const;
    // Empty when never set or removed.
    std::string_view attribute(base::table_id, std::string_view account, std::string_view key) const;

    // Those of the account itself whose key begins so: the rest of the key, and the value.
    std::vector<std::pair<std::string, std::string>> attributes(std::string_view account, std::string_view prefix) const;

    size_t tables_count() const { return _by_id.size(); }
    // Of the shortest history, about.
    size_t bytes() const { return _bytes; }
    base::table_id next_id() const { return _next_id; }

    // The shortest history that leads to this state.
    std::vector<catalog_edit> snapshot() const;

private:
    using name_key = std::pair<std::string, std::string>; // account, folded name
    struct attribute_key {
        uint64_t id;
        std::string account;
        std::string key;
        auto operator<=>(const attribute_key&) const = default;
    };

    base::expected<void> check_create(const table_info&) const;
    void create(const table_info&);
    void drop(base::table_id);
    void set(const attribute_edit&);
    void remove(std::map<attribute_key, std::string>::iterator begin, std::map<attribute_key, std::string>::iterator end);

    std::map<uint64_t, table_info> _by_id;
    std::map<name_key, uint64_t> _by_name;
    std::map<attribute_key, std::string> _attributes;
    base::table_id _next_id{1};
    size_t _bytes = 0;
};

} // namespace tables

// Rows of an answer (one JSON object a line) for a person: an aligned table, or a line for each row as it comes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hh"

namespace cli {

// One row, flat: time, where it comes from, its head, tags and fields, in the order of the server.
struct flat_row {
    struct cell {
        std::string name;
        std::string text;
        bool is_number = false;
        double number = 0;
    };
    std::vector<cell> cells;
};

base::expected<flat_row> parse_row(std::string_view json);

struct table_style {
    bool has_colour = false; // escape sequences, and sparklines below the table
    bool is_cut = false;     // long texts are: for a terminal
    size_t width = 100;      // of the terminal
    // Columns that stand in this order before others, whichever rows have them.
    std::span<const std::string_view> first_columns{};
};

// Control characters, which a terminal would obey, as blanks; ends of lines and tabs stay when `keeps_lines`.
std::string printable(std::string_view text, bool keeps_lines);

std::string format_table(const std::vector<flat_row>&, const table_style&);
// "time cpu host=a usage_user=5", ending in a line feed.
std::string format_line(const flat_row&, const table_style&);

} // namespace cli

#include "cli/row_table.hh"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <simdjson.h>

#include "cli/sparkline.hh"

namespace cli {
namespace {

constexpr std::string_view bold = "\033[1m";
constexpr std::string_view dim = "\033[2m";
constexpr std::string_view red = "\033[31m";
constexpr std::string_view yellow = "\033[33m";
constexpr std::string_view plain = "\033[0m";

constexpr size_t sparklines_max = 8;
// A text longer than this is cut on a terminal; a pipe and --format json have it whole.
constexpr size_t cell_width_max = 60;

void add_cell(flat_row& row, std::string_view name, const simdjson::dom::element& value) {
    flat_row::cell cell{std::string(name), {}};
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) {
        cell.text = text;
    } else {
        cell.is_number = value.get(cell.number) == simdjson::SUCCESS;
        cell.text = value.is_null() ? "" : simdjson::minify(value);
    }
    row.cells.push_back(std::move(cell));
}

// Characters, not bytes: near enough to columns for what names and values usually hold.
size_t width_of(std::string_view utf8) {
    return static_cast<size_t>(std::ranges::count_if(utf8, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string shown(std::string text, const table_style& style) {
    text = printable(text, false);
    if (!style.is_cut || width_of(text) <= cell_width_max) {
        return text;
    }
    size_t end = 0;
    for (size_t characters = 0; characters + 1 < cell_width_max; ++characters) {
        do {
            ++end;
        } while (end < text.size() && (text[end] & 0xc0) == 0x80);
    }
    return text.substr(0, end) + "…";
}

std::string_view colour_of(const flat_row::cell& cell) {
    if (cell.name != "level") {
        return cell.name == "time" ? dim : std::string_view();
    }
    const bool is_bad = cell.text == "emerg" || cell.text == "alert" || cell.text == "crit" || cell.text == "error";
    return is_bad ? red : cell.text == "warning" ? yellow : std::string_view();
}

struct column {
    std::string name;
    size_t width = 0;
    bool is_numeric = true;
    std::vector<double> numbers;
};

// Of a column that no row has, nothing is shown.
bool is_in(const std::vector<flat_row>& rows, std::string_view name) {
    return std::ranges::any_of(
        rows, [&](const flat_row& row) { return std::ranges::contains(row.cells, name, &flat_row::cell::name); });
}

std::vector<column> columns_of(const std::vector<flat_row>& rows, const table_style& style) {
    std::vector<column> columns;
    std::map<std::string, size_t> places;
    for (const auto name : style.first_columns) {
        if (is_in(rows, name)) {
            places.emplace(name, columns.size());
            columns.push_back({std::string(name), width_of(name)});
        }
    }
    for (const auto& row : rows) {
        for (const auto& cell : row.cells) {
            const auto [found, is_new] = places.try_emplace(cell.name, columns.size());
            if (is_new) {
                columns.push_back({cell.name, width_of(cell.name)});
            }
            auto& c = columns[found->second];
            c.width = std::max(c.width, width_of(shown(cell.text, style)));
            c.is_numeric &= cell.is_number;
            if (cell.is_number) {
                c.numbers.push_back(cell.number);
            }
        }
    }
    return columns;
}

void append_padded(std::string_view text, const column& c, bool is_last, std::string& out) {
    const std::string gap(c.width - width_of(text), ' ');
    if (c.is_numeric) {
        out += gap;
        out += text;
    } else {
        out += text;
        out += is_last ? "" : gap;
    }
    out += is_last ? "\n" : "  ";
}

std::string sparklines(const std::vector<column>& columns, bool is_newest_first, size_t width) {
    std::string out;
    size_t count = 0;
    for (const auto& c : columns) {
        auto numbers = c.numbers;
        if (!c.is_numeric || numbers.size() < 2 || count == sparklines_max) {
            continue;
        }
        if (is_newest_first) {
            std::ranges::reverse(numbers);
        }
        const auto [least, greatest] = std::ranges::minmax(numbers);
        const size_t room = width > c.name.size() + 40 ? width - c.name.size() - 40 : 10;
        out += fmt::format("{}{}{}  {}  {:g} .. {:g}\n", dim, c.name, plain, sparkline(numbers, room), least, greatest);
        ++count;
    }
    return out;
}

} // namespace

std::string printable(std::string_view text, bool keeps_lines) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_line = keeps_lines && (c == '\n' || c == '\t');
        // Beyond ASCII there are 32 more, of two bytes each.
        if (byte >= 0x80 && byte < 0xa0 && out.ends_with('\xc2')) {
            out.back() = ' ';
        } else {
            out += (byte < 0x20 && !is_line) || byte == 0x7f ? ' ' : c;
        }
    }
    return out;
}

base::expected<flat_row> parse_row(std::string_view json) {
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    if (parser.parse(simdjson::padded_string(json)).get(object) != simdjson::SUCCESS) {
        return base::fail(base::errc::io_error, "the server sent a line that is no row");
    }
    flat_row row;
    for (const auto [name, value] : object) {
        simdjson::dom::object inner;
        if ((name == "tags" || name == "fields") && value.get(inner) == simdjson::SUCCESS) {
            for (const auto [inner_name, inner_value] : inner) {
                add_cell(row, inner_name, inner_value);
            }
        } else {
            add_cell(row, name, value);
        }
    }
    return row;
}

std::string format_table(const std::vector<flat_row>& rows, const table_style& style) {
    const auto columns = columns_of(rows, style);
    std::string out;
    out += style.has_colour ? bold : "";
    for (size_t i = 0; i < columns.size(); ++i) {
        append_padded(printable(columns[i].name, false), columns[i], i + 1 == columns.size(), out);
    }
    out += style.has_colour ? plain : "";
    for (const auto& row : rows) {
        for (size_t i = 0; i < columns.size(); ++i) {
            const auto cell = std::ranges::find(row.cells, columns[i].name, &flat_row::cell::name);
            const auto colour = cell != row.cells.end() && style.has_colour ? colour_of(*cell) : std::string_view();
            out += colour;
            append_padded(cell != row.cells.end() ? shown(cell->text, style) : "", columns[i], i + 1 == columns.size(), out);
            out += colour.empty() ? "" : plain;
        }
    }
    if (style.has_colour && rows.size() > 1 && !rows.front().cells.empty()) {
        const bool is_newest_first = rows.front().cells[0].text > rows.back().cells[0].text;
        out += sparklines(columns, is_newest_first, style.width);
    }
    return out;
}

std::string format_line(const flat_row& row, const table_style& style) {
    std::string out;
    for (const auto& cell : row.cells) {
        const bool is_bare = cell.name == "time" || cell.name == "family" || cell.name == "source" || cell.name == "table" ||
                             cell.name == "level" || cell.name == "message";
        const auto colour = style.has_colour ? colour_of(cell) : std::string_view();
        out += out.empty() ? "" : " ";
        out += colour;
        out += printable(is_bare ? cell.text : fmt::format("{}={}", cell.name, cell.text), false);
        out += colour.empty() ? "" : plain;
    }
    return out + '\n';
}

} // namespace cli

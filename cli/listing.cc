#include "cli/listing.hh"

#include <algorithm>

#include <simdjson.h>

#include "http/core/percent.hh"

namespace cli {

base::expected<std::vector<flat_row>> read_list(const connection_options& connection, const std::string& path,
                                                const std::string& member) {
    std::vector<flat_row> rows;
    for (std::string cursor;;) {
        const auto* const mark = path.contains('?') ? "&cursor=" : "?cursor=";
        auto reply = ask_for_good(connection, {.path = path + (cursor.empty() ? "" : mark + http::percent_encode(cursor))});
        if (!reply) {
            return std::unexpected(reply.error());
        }
        simdjson::dom::parser parser;
        simdjson::dom::element body;
        simdjson::dom::array items;
        if (parser.parse(reply->body).get(body) != simdjson::SUCCESS || body[member].get(items) != simdjson::SUCCESS) {
            return base::fail(base::errc::io_error, "the server sent a list that cannot be read");
        }
        for (const auto item : items) {
            auto row = parse_row(simdjson::minify(item));
            if (!row) {
                return std::unexpected(row.error());
            }
            rows.push_back(std::move(*row));
        }
        std::string_view next;
        if (body["cursor"].get(next) != simdjson::SUCCESS) {
            return rows;
        }
        cursor = next;
    }
}

const flat_row::cell* cell_of(const flat_row& row, std::string_view name) {
    const auto found = std::ranges::find(row.cells, name, &flat_row::cell::name);
    return found == row.cells.end() ? nullptr : &*found;
}

bool has_cell(const flat_row& row, std::string_view name, std::string_view text) {
    const auto* cell = cell_of(row, name);
    return cell != nullptr && cell->text == text;
}

} // namespace cli

#include "query/core/native/csv_encoder.hh"

#include <cmath>
#include <utility>

#include "query/core/native/json_text.hh"
#include "query/core/time_text.hh"

namespace query {
namespace {

void append_cell(std::string_view text, std::string& out) {
    if (text.find_first_of(",\"\r\n") == text.npos) {
        out += text;
        return;
    }
    out += '"';
    for (char c : text) {
        out += c;
        if (c == '"') {
            out += c;
        }
    }
    out += '"';
}

class csv_encoder final : public encoder {
public:
    explicit csv_encoder(const column_set& columns) : _columns(columns) {}

    void add(const answer_row& row, std::string& out) override {
        begin(out);
        if (row.time_ns) {
            char text[time_text_bytes_max + 1];
            out.append(text, write_time_ns(*row.time_ns, text));
        }
        _columns.place(row, _cells);
        for (const auto& cell : _cells) {
            out += ',';
            if (!cell) {
                continue;
            }
            if (cell->type() == tables::value_type::string) {
                // An empty text is not the same as no value.
                cell->as_string().empty() ? out += "\"\"" : (append_cell(cell->as_string(), out), out);
            } else if (cell->type() == tables::value_type::real && !std::isfinite(cell->as_real())) {
                // As the Table service writes them; an empty cell would be no value.
                out += std::isnan(cell->as_real()) ? "NaN" : cell->as_real() > 0 ? "Infinity" : "-Infinity";
            } else {
                append_plain_value(*cell, out);
            }
        }
        out += "\r\n";
    }
    void finish(const answer_facts&, std::string& out) override { begin(out); }

private:
    void begin(std::string& out) {
        if (std::exchange(_is_begun, true)) {
            return;
        }
        out += "time";
        for (const auto& column : _columns.columns()) {
            out += ',';
            append_cell(column.label, out);
        }
        out += "\r\n";
    }

    const column_set& _columns;
    column_set::cells _cells;
    bool _is_begun = false;
};

} // namespace

std::unique_ptr<encoder> make_csv_encoder(const column_set& columns) {
    return std::make_unique<csv_encoder>(columns);
}

} // namespace query

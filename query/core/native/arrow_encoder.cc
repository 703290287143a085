#include "query/core/native/arrow_encoder.hh"

#include <stdexcept>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <fmt/format.h>

#include "query/core/native/json_text.hh"
#include "query/core/time_text.hh"

namespace query {
namespace {

using tables::value_type;

// A batch ends at any of these bounds, so that each of its buffers stays a small piece of memory, and all of them together.
constexpr int64_t batch_rows_max = 4'096;
constexpr size_t batch_cells_max = 64 << 10;
constexpr size_t batch_text_bytes_max = 64 << 10;

constexpr value_type all_types[] = {value_type::string,  value_type::real,     value_type::int64, value_type::int32,
                                    value_type::boolean, value_type::datetime, value_type::guid,  value_type::binary};

// Arrow fails only when memory does, or when we misuse it: neither can be answered here.
void must(const arrow::Status& status) {
    if (!status.ok()) {
        throw std::runtime_error("arrow: " + status.ToString());
    }
}

std::shared_ptr<arrow::DataType> type_of(value_type type) {
    switch (type) {
    case value_type::string:
    case value_type::guid: return arrow::utf8();
    case value_type::int32: return arrow::int32();
    case value_type::int64: return arrow::int64();
    case value_type::real: return arrow::float64();
    case value_type::boolean: return arrow::boolean();
    case value_type::datetime: return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case value_type::binary: return arrow::binary();
    }
    return arrow::null();
}

// What other formats say behind their rows. A stream that is kept in a file has lost the header fields of its reply.
std::shared_ptr<arrow::KeyValueMetadata> metadata_of(const answer_facts& facts) {
    auto metadata = std::make_shared<arrow::KeyValueMetadata>();
    if (facts.range.start_ns != time_range::always) {
        metadata->Append("downtick.start", time_text(facts.range.start_ns));
    }
    if (facts.range.end_ns != time_range::forever) {
        metadata->Append("downtick.end", time_text(facts.range.end_ns));
    }
    if (!facts.cursor.empty()) {
        metadata->Append("downtick.cursor", facts.cursor);
    }
    if (facts.percentile_error != 0) {
        metadata->Append("downtick.percentile_error", fmt::format("{}", facts.percentile_error));
    }
    if (!facts.damage.empty()) {
        std::string json;
        append_json_damage(facts.damage, json);
        metadata->Append("downtick.damaged", std::move(json));
    }
    return metadata;
}

// What the writer puts out goes to the string of the call under way.
class string_sink final : public arrow::io::OutputStream {
public:
    void attach(std::string* out) { _out = out; }

    arrow::Status Close() override { return arrow::Status::OK(); }
    bool closed() const override { return false; }
    arrow::Result<int64_t> Tell() const override { return _written; }
    arrow::Status Write(const void* data, int64_t bytes) override {
        _out->append(static_cast<const char*>(data), static_cast<size_t>(bytes));
        _written += bytes;
        return arrow::Status::OK();
    }

private:
    std::string* _out = nullptr;
    int64_t _written = 0;
};

class arrow_encoder final : public encoder {
public:
    arrow_encoder(const column_set& columns, const answer_facts& facts) : _columns(columns) {
        const auto time_type = arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
        arrow::FieldVector fields{arrow::field("time", time_type)};
        _time = std::make_unique<arrow::TimestampBuilder>(time_type, arrow::system_memory_pool());
        for (size_t i = 0; i < columns.columns().size(); ++i) {
            add_column(i, columns.columns()[i], fields);
        }
        _schema = arrow::schema(std::move(fields), metadata_of(facts));
    }

    void add(const answer_row& row, std::string& out) override {
        must(row.time_ns ? _time->Append(*row.time_ns) : _time->AppendNull());
        _columns.place(row, _cells);
        for (auto& lane : _lanes) {
            append(lane, _cells[lane.column]);
        }
        const size_t cells = static_cast<size_t>(_time->length()) * (1 + _lanes.size());
        if (_time->length() == batch_rows_max || cells >= batch_cells_max || _text_bytes >= batch_text_bytes_max) {
            write_batch(out);
        }
    }

    void finish(const answer_facts&, std::string& out) override {
        write_batch(out);
        _sink.attach(&out);
        must(_writer->Close());
    }

private:
    // One Arrow column: the values of one type of a flat column.
    struct lane {
        size_t column;
        value_type type;
        std::unique_ptr<arrow::ArrayBuilder> builder;
    };

    void add_column(size_t index, const flat_column& column, arrow::FieldVector& fields) {
        bool is_first = true;
        for (const auto type : all_types) {
            if (!column.has(type)) {
                continue;
            }
            const auto arrow_type = type_of(type);
            auto label = std::exchange(is_first, false) ? column.label : fmt::format("{}:{}", column.label, arrow_type->name());
            fields.push_back(arrow::field(std::move(label), arrow_type));
            auto builder = arrow::MakeBuilder(arrow_type, arrow::system_memory_pool());
            must(builder.status());
            _lanes.push_back({index, type, std::move(*builder)});
        }
    }

    void append_text(lane& l, std::string_view text) {
        must(static_cast<arrow::BinaryBuilder&>(*l.builder).Append(text.data(), static_cast<int32_t>(text.size())));
        _text_bytes += text.size();
    }

    void append(lane& l, const std::optional<tables::value>& v) {
        if (!v || v->type() != l.type) {
            return must(l.builder->AppendNull());
        }
        switch (l.type) {
        case value_type::string: return append_text(l, v->as_string());
        case value_type::binary: return append_text(l, v->as_binary());
        case value_type::guid: {
            std::string text;
            append_plain_value(*v, text);
            return append_text(l, text);
        }
        case value_type::int32: return must(static_cast<arrow::Int32Builder&>(*l.builder).Append(v->as_int32()));
        case value_type::int64: return must(static_cast<arrow::Int64Builder&>(*l.builder).Append(v->as_int64()));
        case value_type::real: return must(static_cast<arrow::DoubleBuilder&>(*l.builder).Append(v->as_real()));
        case value_type::boolean: return must(static_cast<arrow::BooleanBuilder&>(*l.builder).Append(v->as_boolean()));
        case value_type::datetime: {
            constexpr int64_t ticks_per_us = 10;
            const int64_t ticks = v->as_datetime().value - base::unix_epoch.value;
            const int64_t us = ticks / ticks_per_us - (ticks % ticks_per_us < 0);
            return must(static_cast<arrow::TimestampBuilder&>(*l.builder).Append(us));
        }
        }
    }

    void write_batch(std::string& out) {
        _sink.attach(&out);
        if (!_writer) {
            auto options = arrow::ipc::IpcWriteOptions::Defaults();
            options.use_threads = false;
            options.memory_pool = arrow::system_memory_pool();
            auto made = arrow::ipc::MakeStreamWriter(&_sink, _schema, options);
            must(made.status());
            _writer = *made;
        }
        const int64_t rows = _time->length();
        if (rows == 0) {
            return;
        }
        arrow::ArrayVector arrays(1);
        must(_time->Finish(&arrays[0]));
        for (auto& l : _lanes) {
            must(l.builder->Finish(&arrays.emplace_back()));
        }
        must(_writer->WriteRecordBatch(*arrow::RecordBatch::Make(_schema, rows, std::move(arrays))));
        _text_bytes = 0;
    }

    const column_set& _columns;
    std::shared_ptr<arrow::Schema> _schema;
    std::unique_ptr<arrow::TimestampBuilder> _time;
    std::vector<lane> _lanes;
    size_t _text_bytes = 0; // of the batch under way
    column_set::cells _cells;
    string_sink _sink;
    std::shared_ptr<arrow::ipc::RecordBatchWriter> _writer;
};

} // namespace

std::unique_ptr<encoder> make_arrow_encoder(const column_set& columns, const answer_facts& facts) {
    return std::make_unique<arrow_encoder>(columns, facts);
}

} // namespace query

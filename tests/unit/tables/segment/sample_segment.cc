#include "tests/unit/tables/segment/sample_segment.hh"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "tables/core/key.hh"

namespace samples {
namespace {

using namespace tables;

constexpr int64_t extreme_ints[] = {0, 1, -1, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
constexpr uint64_t extreme_reals[] = {0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000,
                                      0x7ff8000000000001, 0x7ff0000000000001, 0x0000000000000001, 0x7fefffffffffffff};
const char* const some_texts[] = {"",
                                  "a",
                                  "the same again",
                                  "a text that is longer than what a range keeps of it",
                                  "a text that is longer than what a range keeps",
                                  "\xc3\xa9t\xc3\xa9",
                                  "\xf0\x9f\x98\x80",
                                  "\xef\xbf\xbd"};

struct column_kind {
    std::string name;
    value_type type;
    unsigned percent_present;
};

class row_maker {
public:
    explicit row_maker(uint64_t seed) : _random(seed) {
        const char* const names[] = {"a", "b",        "cpu_user", "temperature",
                                     "x", "\xc3\xa4", "z_last",   "long_name_that_is_not_inline"};
        const size_t count = _random() % 9;
        for (size_t i = 0; i < count; ++i) {
            _columns.push_back({names[_random() % std::size(names)], static_cast<value_type>(1 + _random() % 8),
                                _random() % 2 ? 100 : static_cast<unsigned>(_random() % 101)});
        }
        _is_dense = _random() % 2;
        _removes_percent = _random() % 3 == 0 ? 20 : 0;
    }

    stored_row next() {
        stored_row row;
        row.timestamp = {638'000'000'000'000'000 + static_cast<int64_t>(_random() % 50) * 10'000};
        if (_random() % 100 < _removes_percent) {
            row.kind = row_kind::remove;
            return row;
        }
        row.kind = _random() % 5 == 0 ? row_kind::merge : row_kind::put;
        for (const auto& c : _columns) {
            const bool is_taken = std::ranges::contains(row.properties, c.name, &stored_property::name);
            if (!is_taken && (_is_dense || _random() % 100 < c.percent_present)) {
                row.properties.push_back(property_of(c));
            }
        }
        std::ranges::sort(row.properties, {}, &stored_property::name);
        return row;
    }

private:
    stored_property property_of(const column_kind& c) {
        stored_property p{c.name, c.type};
        const bool is_extreme = _random() % 8 == 0;
        switch (c.type) {
        case value_type::boolean: p.bits = _random() % 2; break;
        case value_type::int32:
            p.bits = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(is_extreme ? _random() : _walk++)));
            break;
        case value_type::int64:
            p.bits =
                is_extreme ? static_cast<uint64_t>(extreme_ints[_random() % std::size(extreme_ints)]) : _walk += _random() % 7;
            break;
        case value_type::datetime: p.bits = 638'000'000'000'000'000 + (_walk += 10'000); break;
        case value_type::real:
            p.bits = is_extreme ? extreme_reals[_random() % std::size(extreme_reals)]
                                : std::bit_cast<uint64_t>(static_cast<double>(_random() % 10'000) / 100);
            break;
        case value_type::guid:
            p.bytes.resize(16);
            for (auto& byte : p.bytes) {
                byte = static_cast<char>(is_extreme ? 0 : _random());
            }
            break;
        case value_type::string:
            p.bytes = is_extreme ? "text " + std::to_string(_random()) : some_texts[_random() % std::size(some_texts)];
            break;
        case value_type::binary:
            for (size_t n = _random() % 40; n-- > 0;) {
                p.bytes.push_back(static_cast<char>(_random()));
            }
            break;
        }
        return p;
    }

    generator _random;
    std::vector<column_kind> _columns;
    bool _is_dense = true;
    unsigned _removes_percent = 0;
    uint64_t _walk = 1'000;
};

std::string time_key(generator& random, uint64_t kind, int64_t tick) {
    auto text = base::inverted_text({tick});
    switch (kind % 4) {
    case 0: return text;
    case 1: return text + "99";
    case 2: return text + std::to_string(10 + random() % 90);
    default: return text + (random() % 2 ? "-suffix" : "");
    }
}

std::string text_key(generator& random) {
    switch (random() % 6) {
    case 0: return "";
    case 1: return "device-" + std::to_string(random() % 10'000);
    case 2: return std::to_string(random()); // digits, often nineteen of them, not always a time
    case 3: return std::string(random() % 500, 'k') + std::to_string(random() % 10);
    case 4: return tables::collate("\xf0\x9f\x98\x80 \xef\xbf\xbd" + std::to_string(random() % 100));
    default: return std::to_string(random() % 100);
    }
}

guid guid_of(std::string_view bytes) {
    guid g;
    std::memcpy(g.bytes.data(), bytes.data(), g.bytes.size());
    return g;
}

stored_property stored(const property& p) {
    stored_property out{std::string(p.name), p.value.type()};
    switch (p.value.type()) {
    case value_type::boolean: out.bits = p.value.as_boolean(); break;
    case value_type::int32: out.bits = static_cast<uint64_t>(static_cast<int64_t>(p.value.as_int32())); break;
    case value_type::int64: out.bits = static_cast<uint64_t>(p.value.as_int64()); break;
    case value_type::datetime: out.bits = static_cast<uint64_t>(p.value.as_datetime().value); break;
    case value_type::real: out.bits = std::bit_cast<uint64_t>(p.value.as_real()); break;
    case value_type::string: out.bytes = p.value.as_string(); break;
    case value_type::binary: out.bytes = p.value.as_binary(); break;
    case value_type::guid: {
        const auto& g = p.value.as_guid();
        out.bytes.assign(reinterpret_cast<const char*>(g.bytes.data()), g.bytes.size());
        break;
    }
    }
    return out;
}

} // namespace

property stored_property::view() const {
    switch (type) {
    case value_type::boolean: return {name, value::of_boolean(bits != 0)};
    case value_type::int32: return {name, value::of_int32(static_cast<int32_t>(bits))};
    case value_type::int64: return {name, value::of_int64(static_cast<int64_t>(bits))};
    case value_type::datetime: return {name, value::of_datetime({static_cast<int64_t>(bits)})};
    case value_type::real: return {name, value::of_real(std::bit_cast<double>(bits))};
    case value_type::string: return {name, value::of_string(bytes)};
    case value_type::binary: return {name, value::of_binary(bytes)};
    case value_type::guid: break;
    }
    return {name, value::of_guid(guid_of(bytes))};
}

std::vector<property> stored_row::views() const {
    std::vector<property> out;
    std::ranges::transform(properties, std::back_inserter(out), &stored_property::view);
    return out;
}

bool operator==(const stored_property& a, const stored_property& b) {
    return a.name == b.name && a.type == b.type && a.bits == b.bits && a.bytes == b.bytes;
}

bool operator==(const stored_row& a, const stored_row& b) {
    return a.kind == b.kind && a.timestamp == b.timestamp && a.properties == b.properties;
}

model random_rows(uint64_t seed) {
    generator random(seed);
    row_maker rows(seed * 31);
    model out;
    const size_t partitions_count = 1 + random() % (seed % 3 == 0 ? 3 : 100);
    const size_t rows_max = 1 + random() % (partitions_count > 20 ? 40 : 700);
    const auto key_kind = random();
    for (size_t p = 0; p < partitions_count; ++p) {
        const auto partition_key = key_kind % 7 == 0 ? text_key(random) : "host=" + std::to_string(p) + ",region=eu";
        int64_t tick = 638'000'000'000'000'000 + static_cast<int64_t>(p);
        for (size_t r = 1 + random() % rows_max; r-- > 0;) {
            const bool is_text = key_kind % 3 == 0 || (key_kind % 3 == 1 && random() % 3 == 0);
            tick += random() % 10 == 0 ? static_cast<int64_t>(random() % 1'000'000'000) : 100'000'000;
            out[{partition_key, is_text ? text_key(random) : time_key(random, key_kind, tick)}] = rows.next();
        }
    }
    return out;
}

segment_options random_options(uint64_t seed) {
    generator random(seed * 17 + 1);
    return {.table = {seed + 1},
            .seed = random(),
            .sequence_min = {seed},
            .sequence_max = {seed + 100},
            .block_rows_max = 1 + random() % (seed % 2 ? 5'000 : 100),
            .block_raw_bytes_max = seed % 5 == 0 ? 4'000u : 1'000'000u};
}

void drain(segment_builder& builder, std::string& file) {
    while (auto bytes = builder.step()) {
        file += *bytes;
    }
}

std::string build(const model& rows, const segment_options& options) {
    segment_builder builder(options);
    std::string file;
    for (const auto& [k, row] : rows) {
        const auto properties = row.views();
        const auto s = shape_of(properties); // a new one each time: nothing may depend on its address
        std::string packed;
        pack_row(properties, packed);
        const auto view = row.kind == row_kind::remove ? row_view() : row_view(s, packed);
        builder.add({k.first, k.second, row.kind, row.timestamp, view});
        drain(builder, file);
    }
    builder.finish();
    drain(builder, file);
    if (builder.bytes_written() != file.size()) {
        throw std::logic_error("the builder miscounts its bytes");
    }
    return file;
}

std::string_view bytes_of(std::string_view file, file_extent extent) {
    return file.substr(extent.offset, extent.size);
}

segment_view open(std::string_view file) {
    const auto end = file.substr(file.size() - segment_layout::trailer_bytes);
    const auto trailer = segment_trailer::parse(end, file.size()).value();
    return segment_view::open(trailer, bytes_of(file, trailer.footer)).value();
}

stored_row stored(const segment_row& row) {
    stored_row out{row.kind, row.timestamp, {}};
    for (size_t i = 0; i < row.row.size(); ++i) {
        out.properties.push_back(stored(row.row[i]));
    }
    return out;
}

base::expected<std::vector<std::pair<key, stored_row>>> rows_of(const segment_view& segment, std::string_view file, size_t i) {
    const auto block = segment.open_block(i, bytes_of(file, segment.block(i).extent));
    if (!block) {
        return std::unexpected(block.error());
    }
    codec::zstd_decompressor zstd;
    block_rows rows(*block, segment.schema(), zstd);
    std::vector<std::pair<key, stored_row>> out;
    constexpr size_t rows_at_once = 300;
    for (size_t begin = 0; begin < block->rows_count(); begin += rows_at_once) {
        if (auto done = rows.load({begin, std::min(begin + rows_at_once, block->rows_count())}); !done) {
            return std::unexpected(done.error());
        }
        for (size_t r = 0; r < rows.size(); ++r) {
            const auto row = rows[r];
            out.push_back({{std::string(row.partition_key), std::string(row.row_key)}, stored(row)});
        }
    }
    return out;
}

} // namespace samples

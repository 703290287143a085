// Arbitrary bytes either are refused or are rows that can be read to the end; encoded again they are the same rows, and from
// then on the same bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tables/core/row_batch.hh"

namespace {

using namespace tables;

std::string encode(const row_batch_reader& batch) {
    row_batch_builder builder(batch.table());
    for (const auto& row : batch) {
        builder.add_row(row.kind, row.partition_key, row.row_key, row.row,
                        row.has_own_timestamp ? std::optional(row.timestamp) : std::nullopt);
    }
    auto bytes = builder.take();
    set_timestamp(bytes, batch.timestamp());
    return bytes;
}

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

bool same_row(const batch_row& a, const batch_row& b) {
    if (a.kind != b.kind || a.partition_key != b.partition_key || a.row_key != b.row_key || a.timestamp != b.timestamp) {
        return false;
    }
    if (a.row.size() != b.row.size() || a.row.bytes() != b.row.bytes()) {
        return false;
    }
    for (size_t i = 0; i < a.row.size(); ++i) {
        const auto left = a.row[i];
        const auto right = b.row[i];
        if (left.name != right.name || !identical(left.value, right.value)) {
            return false;
        }
    }
    return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto batch = row_batch_reader::open({reinterpret_cast<const char*>(data), size});
    if (!batch) {
        return 0;
    }
    const auto bytes = encode(*batch);
    const auto again = row_batch_reader::open(bytes);
    require(again && again->rows_count() == batch->rows_count() && again->timestamp() == batch->timestamp());
    auto other = again->begin();
    for (const auto& row : *batch) {
        require(same_row(row, *other));
        ++other;
    }
    require(other == again->end());
    require(encode(*again) == bytes);
    return 0;
}

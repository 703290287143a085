// Where things are in a row batch; the grammar is in row_batch.hh. For the builder and the reader only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tables::row_batch_layout {

constexpr uint8_t version = 1;

constexpr size_t table_at = 1;
constexpr size_t timestamp_at = 9;
constexpr size_t rows_count_at = 17;
constexpr size_t head_bytes = 21;
static_assert(timestamp_at == table_at + sizeof(uint64_t));
static_assert(rows_count_at == timestamp_at + sizeof(uint64_t));
static_assert(head_bytes == rows_count_at + sizeof(uint32_t));

constexpr uint8_t shape_item = 0x00;
constexpr uint8_t kind_mask = 0x03;
constexpr uint8_t same_partition = 0x04;
constexpr uint8_t own_timestamp = 0x08;
constexpr uint8_t same_shape = 0x10;
constexpr uint8_t known_flags = kind_mask | same_partition | own_timestamp | same_shape;

} // namespace tables::row_batch_layout

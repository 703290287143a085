// The bounds of a coded column. Decoders refuse what exceeds them before they allocate anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tables::codec {

// Values that are coded, and decoded, together. Reading one value decodes its vector (about 1 us), so it cannot be much
// larger; the head of a vector takes 5..25 bytes, so it cannot be much smaller. On disk: do not change.
constexpr size_t vector_size = 1'024;

// In one column. Positions inside it fit 16 bits, and the starts of its vectors fit a small array.
constexpr size_t column_values_max = 65'536;
constexpr size_t column_vectors_max = column_values_max / vector_size;
static_assert(column_values_max % vector_size == 0);

// One text. Above what an entity can hold, so that it binds only what is damaged.
constexpr size_t text_bytes_max = 4 * 1'024 * 1'024;
// What the texts of one column may decode to, all together: offsets are int32, and a few coded bytes can stand for many.
constexpr size_t column_text_bytes_max = 32 * 1'024 * 1'024;
static_assert(column_text_bytes_max < INT32_MAX);

} // namespace tables::codec

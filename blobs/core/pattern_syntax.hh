// What brackets and braces of an RE2 pattern are, where that is not plain from the first character.
#pragma once

#include <cstddef>
#include <string_view>

namespace blobs {

// Of what is behind an opening brace: the size of n}, n,} or n,m} at its start. 0: no repetition, the brace stands for itself.
size_t repetition_size(std::string_view);

// The size of a named class ([:alpha:]) at the start, inside of a class. 0: it is none, and the bracket stands for itself.
size_t named_class_size(std::string_view);

} // namespace blobs

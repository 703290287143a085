// A template taken apart: what to write between the variables of a text, word by word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "blobs/core/text_shape.hh"

namespace blobs {

// One variable, and the bytes of its word before it.
struct template_part {
    text_ref before;
    mask kind = mask::digits;
};

// One word with variables, and the bytes before it that belong to no such word.
struct template_slot {
    text_ref gap;
    uint32_t parts_begin = 0;
    uint32_t parts_end = 0;
    text_ref tail; // of the word, behind its last variable
};

// Positions are in the masked text it was made from, which it does not keep.
struct text_template {
    std::vector<template_slot> slots;
    std::vector<template_part> parts;
    text_ref tail; // behind the last slot

    bool has_only_digits() const {
        return std::ranges::all_of(parts, [](const template_part& p) { return p.kind == mask::digits; });
    }

    // Any bytes are a template.
    static text_template parse(std::string_view masked);
};

inline std::string_view view(std::string_view text, text_ref ref) {
    return text.substr(ref.begin, ref.size);
}

} // namespace blobs

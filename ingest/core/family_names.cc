#include "ingest/core/family_names.hh"

#include <algorithm>

#include <fmt/format.h>

#include "base/checksum.hh"
#include "base/take.hh"

namespace ingest {
namespace {

constexpr size_t hash_bytes = 9; // the x, too

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

} // namespace

std::string plain_stem(std::string_view family) {
    std::string stem;
    for (char c : family) {
        if (!is_letter(c) && !base::is_digit(c)) {
            continue;
        }
        if (stem.empty() && !is_letter(c)) {
            stem += 'f';
        }
        stem += c;
    }
    if (stem.empty()) {
        stem = "f";
    }
    stem.resize(std::min(stem.size(), stem_bytes_max));
    return stem;
}

std::string hashed_stem(std::string_view family, uint64_t salt) {
    auto stem = plain_stem(family);
    stem.resize(std::min(stem.size(), stem_bytes_max - hash_bytes));
    return fmt::format("{}x{:08x}", stem, base::checksum32(family, salt));
}

std::string choose_stem(std::string_view family, const std::function<bool(std::string_view)>& is_taken) {
    auto stem = plain_stem(family);
    bool fits = stem == family && !is_taken(lower_stem(stem));
    // Once is enough, unless somebody has named a family after another one's hash.
    for (uint64_t salt = 0; !fits; ++salt) {
        stem = hashed_stem(family, salt);
        fits = !is_taken(lower_stem(stem));
    }
    return stem;
}

std::string lower_stem(std::string_view stem) {
    std::string text(stem);
    std::ranges::transform(text, text.begin(), lower);
    return text;
}

std::string table_name(std::string_view stem, tables::period_kind p, base::tick t) {
    return std::string(stem) + tables::start_digits(p, t);
}

std::optional<base::tick> period_of_table(std::string_view table, std::string_view stem, tables::period_kind p) {
    if (table.size() < stem.size() || !std::ranges::equal(table.substr(0, stem.size()), stem, {}, lower, lower)) {
        return std::nullopt;
    }
    return tables::parse_start_digits(p, table.substr(stem.size()));
}

} // namespace ingest

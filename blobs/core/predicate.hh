// What a search asks of records: a conjunction of simple tests, which a query plan fills from its filter. Whatever the filter
// says beyond that, the caller evaluates on the records found; a predicate may be wider than the question, never narrower.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hh"
#include "blobs/core/block_builder.hh"
#include "blobs/core/needle.hh"
#include "blobs/core/record.hh"

namespace re2 {
class RE2;
}

namespace blobs {

constexpr size_t pattern_bytes_max = 1'024;
constexpr int64_t pattern_memory_bytes_max = 1 << 20;

struct text_test {
    enum class subject : uint8_t { text, message };
    enum class kind : uint8_t { contains, starts_with, ends_with, equals, matches };

    subject about = subject::message;
    kind test = kind::contains;
    std::string argument; // of `matches`: an RE2 pattern, found anywhere unless it has anchors
};

// A field of that name is there, is a string, and has this value.
struct field_test {
    std::string name;
    std::string value;
};

struct record_predicate {
    int64_t first_ns = INT64_MIN; // both included
    int64_t last_ns = INT64_MAX;
    std::optional<record_order> after;  // only behind this one
    std::optional<record_order> before; // only before this one
    level_set levels = all_levels;
    std::optional<std::string> host;
    std::optional<std::string> app;
    std::vector<text_test> texts;
    std::vector<field_test> fields;
};

// A text test as a screen has it (text_screen.hh).
struct screened_test {
    bool is_pattern = false;
    bool is_digit_blind = false; // of a pattern
    std::vector<needle> needles; // what a text must have: of a pattern all it says so of, else the argument
};

class compiled_predicate {
public:
    // invalid_argument, with a sentence about the pattern that is none.
    static base::expected<compiled_predicate> compile(record_predicate);
    compiled_predicate(compiled_predicate&&) noexcept;
    compiled_predicate& operator=(compiled_predicate&&) noexcept;
    ~compiled_predicate();

    const record_predicate& source() const { return _predicate; }
    // What a block whose filter is about that must have for any of its records to match; the most telling first.
    const std::vector<mark>& marks(filter_scope s) const { return s == filter_scope::texts ? _text_marks : _marks; }
    const std::vector<screened_test>& screened() const { return _screened; }
    // False is sure.
    bool may_match(const block_facts&) const;

    // The tests that need no text.
    bool matches_order(const record_order&) const;
    bool matches_head(const record_order&, uint8_t level, std::string_view host, std::string_view app) const;
    // Whether a record with this text, of which its message is a part, may match; false is sure. Cheaper than a record is to
    // read.
    bool may_match_text(std::string_view text) const;
    // The others.
    bool matches_content(const record&) const;
    bool has_content_tests() const { return !_predicate.texts.empty() || !_predicate.fields.empty(); }
    bool matches(const record& r) const { return matches_head(r.order, r.level, r.host, r.app) && matches_content(r); }

private:
    compiled_predicate();
    std::vector<mark> collect_marks(filter_scope) const;

    record_predicate _predicate;
    std::vector<std::unique_ptr<re2::RE2>> _patterns; // one for each text test, empty unless it is a pattern
    std::vector<screened_test> _screened;             // likewise
    std::vector<mark> _marks;
    std::vector<mark> _text_marks;
};

} // namespace blobs

// A filter made ready for many rows: a list of tests, each with the test to go to next when it is true and when it is false.
// `not`, `and` and `or` are only in these jumps. Nothing is allocated while rows are tested.
//
// A test knows its subject by a *slot*, a number. Whoever has rows binds the slots once, by their names, and then answers
// for a slot without looking at a name again; so the same program runs over entities, points and log records.
#pragma once

#include <concepts>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "query/core/filter_ast.hh"
#include "query/core/filter_error.hh"
#include "query/core/text_pattern.hh"
#include "query/core/value_order.hh"
#include "tables/core/value.hh"

namespace query {

// A row that answers for the slots of a program; nothing where it has no such property. In the native dialect `time` must be
// answered with an Int64 (nanoseconds since 1970) and `level` with an Int32 (severity), see filter_parser.hh.
template <class Row>
concept slot_source = requires(Row& row, size_t slot) {
    { row.value_of(slot) } -> std::same_as<std::optional<tables::value>>;
};

// A group of rows that answers for the slots all of them agree on. Nothing: the rows differ, or it is not known; an empty value
// inside: none of them has it.
template <class Group>
concept common_slot_source = requires(Group& group, size_t slot) {
    { group.common_value_of(slot) } -> std::same_as<std::optional<std::optional<tables::value>>>;
};

enum class verdict : uint8_t { no, yes, depends };

class program {
public:
    // Fails with bad_pattern, or too_large for too many patterns.
    static std::expected<program, filter_error> compile(filter);
    program(program&&) noexcept = default;
    program& operator=(program&&) noexcept = default;

    // What it was made of.
    const filter& condition() const { return _filter; }
    // What slot i is about; no subject twice.
    std::span<const subject> slots() const { return _slots; }

    template <slot_source Row>
    bool matches(Row& row) const {
        uint16_t at = _entry;
        while (at < _tests.size()) {
            const test& t = _tests[at];
            at = passes(t, row.value_of(t.slot)) ? t.if_true : t.if_false;
        }
        return at == accept;
    }

    // What is certain for every row of a group: `no` and `yes` spare asking each of them.
    template <common_slot_source Group>
    verdict foresee(Group& group) const {
        std::vector<bool> is_reached(_tests.size());
        bool may_accept = false;
        bool may_reject = false;
        const auto reach = [&](uint16_t at) {
            if (at < _tests.size()) {
                is_reached[at] = true;
            } else {
                (at == accept ? may_accept : may_reject) = true;
            }
        };
        reach(_entry);
        // Jumps only go forward, so a test is looked at after all that lead to it.
        for (size_t i = 0; i < _tests.size(); ++i) {
            if (!is_reached[i]) {
                continue;
            }
            const test& t = _tests[i];
            const auto common = group.common_value_of(t.slot);
            if (!common || passes(t, *common)) {
                reach(t.if_true);
            }
            if (!common || !passes(t, *common)) {
                reach(t.if_false);
            }
        }
        return may_accept && may_reject ? verdict::depends : may_accept ? verdict::yes : verdict::no;
    }

private:
    struct test {
        node_kind kind;
        order_set accepted; // compare
        uint16_t slot;
        uint16_t pattern; // matches_pattern
        uint16_t if_true; // a test, accept or reject; always further on
        uint16_t if_false;
        tables::value against; // borrows from _filter
    };
    static constexpr uint16_t reject = 0xfffe;
    static constexpr uint16_t accept = 0xffff;

    explicit program(filter f) : _filter(std::move(f)) {}
    std::expected<void, filter_error> add_tests();
    std::expected<void, filter_error> add_pattern(std::string_view);
    void add_jumps();
    bool passes(const test&, const std::optional<tables::value>&) const;

    filter _filter;
    std::vector<subject> _slots;
    std::vector<text_pattern> _patterns;
    std::vector<test> _tests; // one for each condition that is not a constant, in reading order
    uint16_t _entry = accept;
};

} // namespace query

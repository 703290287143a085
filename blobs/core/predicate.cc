#include "blobs/core/predicate.hh"

#include <algorithm>

#include <fmt/format.h>
#include <re2/re2.h>

#include "blobs/core/digit_blind.hh"
#include "blobs/core/pattern_literals.hh"

namespace blobs {
namespace {

screened_test screen_of(const text_test& test) {
    screened_test made{.is_pattern = test.test == text_test::kind::matches};
    if (!made.is_pattern) {
        made.needles.emplace_back(test.argument);
        return made;
    }
    made.is_digit_blind = is_digit_blind(test.argument);
    for (auto& literal : required_literals(test.argument)) {
        made.needles.emplace_back(std::move(literal));
    }
    return made;
}

bool passes(const text_test& test, const re2::RE2* pattern, std::string_view text) {
    switch (test.test) {
    case text_test::kind::contains: return contains(text, test.argument);
    case text_test::kind::starts_with: return text.starts_with(test.argument);
    case text_test::kind::ends_with: return text.ends_with(test.argument);
    case text_test::kind::equals: return text == test.argument;
    case text_test::kind::matches: return pattern->Match(text, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
    }
    return false;
}

bool has_field(const record& r, const field_test& test) {
    return std::ranges::any_of(r.fields, [&](const base::property& field) {
        return field.name == test.name && field.value.type() == base::value_type::string && field.value.as_string() == test.value;
    });
}

base::expected<std::unique_ptr<re2::RE2>> compile_pattern(const std::string& text) {
    if (text.size() > pattern_bytes_max) {
        return base::fail(base::errc::invalid_argument, fmt::format("A pattern has at most {} bytes.", pattern_bytes_max));
    }
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_max_mem(pattern_memory_bytes_max);
    options.set_never_capture(true);
    auto compiled = std::make_unique<re2::RE2>(text, options);
    if (!compiled->ok()) {
        return base::fail(base::errc::invalid_argument,
                          fmt::format("The pattern '{}' cannot be used: {}.", text, compiled->error()));
    }
    return compiled;
}

} // namespace

compiled_predicate::compiled_predicate() = default;
compiled_predicate::compiled_predicate(compiled_predicate&&) noexcept = default;
compiled_predicate& compiled_predicate::operator=(compiled_predicate&&) noexcept = default;
compiled_predicate::~compiled_predicate() = default;

base::expected<compiled_predicate> compiled_predicate::compile(record_predicate predicate) {
    compiled_predicate made;
    made._predicate = std::move(predicate);
    for (const auto& test : made._predicate.texts) {
        auto& pattern = made._patterns.emplace_back();
        made._screened.push_back(screen_of(test));
        if (test.test == text_test::kind::matches) {
            auto compiled = compile_pattern(test.argument);
            if (!compiled) {
                return std::unexpected(compiled.error());
            }
            pattern = std::move(*compiled);
        }
    }
    made._marks = made.collect_marks(filter_scope::messages);
    made._text_marks = made.collect_marks(filter_scope::texts);
    return made;
}

// Also at the start of a message a needle is open: the message may be anywhere in its text.
std::vector<mark> compiled_predicate::collect_marks(filter_scope scope) const {
    std::vector<mark> marks;
    for (const auto& test : _predicate.texts) {
        if (test.about == text_test::subject::text && scope == filter_scope::messages) {
            continue; // what is in a text outside of its message is in no filter
        }
        if (test.test != text_test::kind::matches) {
            add_marks(test.argument, text_edges::open, scope, marks);
            continue;
        }
        for (const auto& literal : required_literals(test.argument)) {
            add_marks(literal, text_edges::open, scope, marks);
        }
    }
    for (const auto& test : _predicate.fields) {
        add_marks(test.value, text_edges::open, scope, marks);
    }
    if (_predicate.host) {
        marks.push_back(host_mark(*_predicate.host));
    }
    if (_predicate.app) {
        marks.push_back(app_mark(*_predicate.app));
    }
    std::ranges::sort(marks);
    const auto repeated = std::ranges::unique(marks);
    marks.erase(repeated.begin(), repeated.end());
    // Where a filter keeps only some, it keeps those with a small low byte.
    std::ranges::stable_sort(marks, {}, [](mark m) { return m & 0xff; });
    return marks;
}

bool compiled_predicate::may_match(const block_facts& block) const {
    const auto& p = _predicate;
    return block.last_ns >= p.first_ns && block.first_ns <= p.last_ns && (block.levels & p.levels) != 0 &&
           (!p.after || block.last_ns >= p.after->time_ns) && (!p.before || block.first_ns <= p.before->time_ns);
}

bool compiled_predicate::matches_order(const record_order& order) const {
    const auto& p = _predicate;
    return order.time_ns >= p.first_ns && order.time_ns <= p.last_ns && (!p.after || order > *p.after) &&
           (!p.before || order < *p.before);
}

bool compiled_predicate::matches_head(const record_order& order, uint8_t level, std::string_view host,
                                      std::string_view app) const {
    const auto& p = _predicate;
    return matches_order(order) && (level_bit(level) & p.levels) != 0 && (!p.host || host == *p.host) &&
           (!p.app || app == *p.app);
}

bool compiled_predicate::may_match_text(std::string_view text) const {
    return std::ranges::all_of(_screened, [&](const screened_test& test) {
        return std::ranges::all_of(test.needles, [&](const needle& n) { return contains(text, n.bytes()); });
    });
}

bool compiled_predicate::matches_content(const record& r) const {
    for (size_t i = 0; i < _predicate.texts.size(); ++i) {
        const auto& test = _predicate.texts[i];
        if (!passes(test, _patterns[i].get(), test.about == text_test::subject::text ? r.text : r.message)) {
            return false;
        }
    }
    return std::ranges::all_of(_predicate.fields, [&](const field_test& test) { return has_field(r, test); });
}

} // namespace blobs

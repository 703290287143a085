#include "blobs/core/text_screen.hh"

#include <algorithm>

namespace blobs {
namespace {

constexpr size_t memos_min = 1'024;

} // namespace

text_screen::text_screen(const compiled_predicate& predicate) : _predicate(predicate) {
    for (const auto& test : predicate.screened()) {
        for (const auto& n : test.needles) {
            _needles.push_back({&n, std::nullopt});
            _piece = n.piece().size() > _piece.size() ? n.piece() : _piece;
        }
    }
}

void text_screen::enter(block_reader& block) {
    _block = &block;
    _templates.assign(block.texts().templates_count(), {});
    _keys.clear();
    _found.clear();
    if (_memos_count != 0) {
        _memos.assign(_memos.size(), {});
    }
    _memos_count = 0;
    _last = nullptr;
    for (auto& n : _needles) {
        n.is_fixed.reset();
    }
}

bool text_screen::is_fixed(wanted_needle& n, bool has_only_digits) const {
    const auto texts_have = [&](std::string_view letters) { return _block->texts().texts_have(letters); };
    if (has_only_digits) {
        return n.what->is_fixed(true, texts_have);
    }
    if (!n.is_fixed) {
        n.is_fixed = n.what->is_fixed(false, texts_have);
    }
    return *n.is_fixed;
}

bool text_screen::is_ruled_out(uint32_t t) {
    const auto masked = _block->texts().masked(t);
    const bool has_only_digits = _block->texts().has_only_digits(t);
    return std::ranges::any_of(
        _needles, [&](wanted_needle& n) { return !n.what->may_be_in(masked, has_only_digits, is_fixed(n, has_only_digits)); });
}

bool text_screen::is_blind(uint32_t t) {
    const bool has_only_digits = _block->texts().has_only_digits(t);
    auto next = _needles.begin();
    for (const auto& test : _predicate.screened()) {
        const bool is_blind = test.is_pattern ? test.is_digit_blind && has_only_digits : is_fixed(*next, has_only_digits);
        if (!is_blind) {
            return false;
        }
        next += static_cast<ptrdiff_t>(test.needles.size());
    }
    return _predicate.source().fields.empty();
}

void text_screen::decide(uint32_t t) {
    auto& state = _templates[t];
    auto& texts = _block->texts();
    if (is_ruled_out(t)) {
        state.how = way::never;
        return;
    }
    if (is_blind(t)) {
        state = {way::by_sizes, static_cast<uint32_t>(_keys.size())};
        _keys.resize(_keys.size() + texts.texts_count(t), 0);
        state.how = texts.make_keys(t, std::span(_keys).subspan(state.begin)) ? way::by_sizes : way::by_text;
        return;
    }
    if (_piece.empty()) {
        state.how = way::by_text;
        return;
    }
    state = {way::by_words, static_cast<uint32_t>(_found.size())};
    _found.resize(_found.size() + texts.texts_count(t), 0);
    texts.find(t, _piece, std::span(_found).subspan(state.begin));
}

text_screen::verdict text_screen::look_at(size_t i) {
    _last = nullptr;
    if (!_predicate.has_content_tests()) {
        return verdict::yes;
    }
    const auto text = _block->texts().info(i);
    if (text.shape == 0 || !_block->has_message_in_text(i)) {
        return verdict::unknown;
    }
    auto& state = _templates[text.shape - 1];
    if (state.how == way::undecided) {
        decide(text.shape - 1);
    }
    switch (state.how) {
    case way::never: return verdict::no;
    case way::by_words: return _found[state.begin + text.rank] != 0 ? verdict::unknown : verdict::no;
    case way::by_sizes: {
        const auto [before, behind] = _block->parts().message_place(i);
        return recall({_keys[state.begin + text.rank], before, behind, text.shape});
    }
    case way::undecided:
    case way::by_text: break;
    }
    return verdict::unknown;
}

size_t text_screen::memo_key::hash() const {
    uint64_t x = (sizes ^ (before << 32 | shape)) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 32) ^ behind) * 0xd6e8feb86659fd93;
    return x ^ (x >> 29);
}

text_screen::verdict text_screen::recall(const memo_key& key) {
    if (2 * _memos_count >= _memos.size()) {
        grow_memos();
    }
    const size_t bits = _memos.size() - 1;
    size_t at = key.hash() & bits;
    while (_memos[at].key.shape != 0 && _memos[at].key != key) {
        at = (at + 1) & bits;
    }
    auto& found = _memos[at];
    if (found.key.shape == 0) {
        found.key = key;
        ++_memos_count;
    }
    _last = &found;
    return found.known;
}

void text_screen::grow_memos() {
    std::vector<memo> old(std::max(2 * _memos.size(), memos_min));
    std::swap(old, _memos);
    const size_t bits = _memos.size() - 1;
    for (const auto& m : old) {
        if (m.key.shape != 0) {
            size_t at = m.key.hash() & bits;
            while (_memos[at].key.shape != 0) {
                at = (at + 1) & bits;
            }
            _memos[at] = m;
        }
    }
}

void text_screen::learn(bool matches) {
    if (_last != nullptr) {
        _last->known = matches ? verdict::yes : verdict::no;
    }
}

} // namespace blobs

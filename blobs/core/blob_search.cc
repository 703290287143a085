#include "blobs/core/blob_search.hh"

#include <algorithm>
#include <cassert>

namespace blobs {
namespace {

// A conjunction of this many marks leaves hardly anything by chance.
constexpr size_t marks_asked_max = 24;

} // namespace

blob_search::blob_search(const blob_view& blob, const compiled_predicate& predicate, scan_order order, block_reader& reader,
                         record_parts parts)
    : _blob(blob), _predicate(predicate), _order(order), _reader(reader), _parts(parts),
      _content(parts == record_parts::heads && !predicate.has_content_tests() ? block_content::heads : block_content::records),
      _screen(predicate) {
    for (const auto& block : blob.blocks()) {
        _candidates.push_back(predicate.may_match(block.facts));
    }
    settle_filters();
}

size_t blob_search::candidates_count() const {
    return static_cast<size_t>(std::ranges::count(_candidates, true));
}

void blob_search::settle_filters() {
    uint64_t candidate_bytes = 0;
    for (size_t i = 0; i < _candidates.size(); ++i) {
        candidate_bytes += _candidates[i] ? _blob.blocks()[i].extent.size : 0;
    }
    const auto& marks = _predicate.marks(_blob.filters());
    const size_t usable = std::min(marks.size(), marks_asked_max);
    // A mark that no candidate's filter keeps is not worth its read.
    const auto says_nothing = [&](mark m) {
        for (size_t i = 0; i < _candidates.size(); ++i) {
            if (_candidates[i] && is_kept(_blob.blocks()[i].filter, m)) {
                return false;
            }
        }
        return true;
    };
    while (_marks_asked < usable && says_nothing(marks[_marks_asked])) {
        ++_marks_asked;
    }
    if (candidate_bytes == 0) {
        _stage = stage::done;
    } else if (_marks_asked == usable || _blob.slice_extent(marks[_marks_asked]).size >= candidate_bytes) {
        _stage = stage::blocks;
        _block = _order == scan_order::oldest_first ? 0 : _candidates.size() - 1;
        if (!_candidates[_block]) {
            next_block();
        }
    }
}

void blob_search::next_block() {
    _is_open = false;
    _candidates[_block] = false;
    if (_order == scan_order::oldest_first) {
        while (_block < _candidates.size() && !_candidates[_block]) {
            ++_block;
        }
        _stage = _block == _candidates.size() ? stage::done : _stage;
        return;
    }
    while (_block > 0 && !_candidates[_block]) {
        --_block;
    }
    _stage = _candidates[_block] ? _stage : stage::done;
}

std::optional<blob_extent> blob_search::next() const {
    switch (_stage) {
    case stage::filters: return _blob.slice_extent(_predicate.marks(_blob.filters())[_marks_asked]);
    case stage::blocks: return _blob.blocks()[_block].extent;
    case stage::done: break;
    }
    return std::nullopt;
}

base::expected<void> blob_search::bring(std::string_view bytes) {
    assert(_stage != stage::done && !_is_open);
    _bytes_read += bytes.size();
    if (_stage == stage::filters) {
        auto done = _blob.filter_blocks(_predicate.marks(_blob.filters())[_marks_asked++], bytes, _candidates);
        settle_filters();
        return done;
    }
    ++_blocks_read;
    auto done = _blob.open_block(_block, bytes, _reader, _content);
    if (!done) {
        next_block();
        return done;
    }
    if (_content == block_content::records) {
        _screen.enter(_reader);
    }
    _is_open = true;
    _seen = 0;
    return {};
}

base::expected<bool> blob_search::matches_content(size_t i) {
    if (auto read = _reader.read_text(i, _scratch.text); !read) {
        return std::unexpected(read.error());
    }
    if (_reader.has_message_in_text(i) && !_predicate.may_match_text(_scratch.text)) {
        return false;
    }
    return _reader.read_rest(i, _scratch).transform([&](const record& r) { return _predicate.matches_content(r); });
}

base::expected<bool> blob_search::visit(size_t i, const record_visitor& visit) {
    const auto order = _reader.order(i);
    if (!_predicate.matches_head(order, _reader.level(i), _reader.hosts()[i], _reader.apps()[i])) {
        return true;
    }
    auto verdict = _content == block_content::heads ? text_screen::verdict::yes : _screen.look_at(i);
    const bool is_read = verdict == text_screen::verdict::unknown;
    if (is_read) {
        const auto matches = matches_content(i);
        if (!matches) {
            return matches;
        }
        _screen.learn(*matches);
        verdict = *matches ? text_screen::verdict::yes : text_screen::verdict::no;
    }
    if (verdict == text_screen::verdict::no) {
        return true;
    }
    if (_parts == record_parts::heads) {
        return visit({.order = order, .level = _reader.level(i), .host = _reader.hosts()[i], .app = _reader.apps()[i]});
    }
    const auto r = is_read ? _reader.read_rest(i, _scratch) : _reader.read(i, _scratch);
    return r ? base::expected<bool>(visit(*r)) : std::unexpected(r.error());
}

base::expected<bool> blob_search::scan(const record_visitor& visitor) {
    if (!_is_open) {
        return false;
    }
    const size_t end = std::min(_reader.size(), _seen + scan_records_max);
    for (; _seen < end; ++_seen) {
        const auto goes_on = visit(_order == scan_order::oldest_first ? _seen : _reader.size() - 1 - _seen, visitor);
        if (!goes_on) {
            next_block();
            return std::unexpected(goes_on.error());
        }
        if (!*goes_on) {
            _is_open = false;
            _stage = stage::done;
            return false;
        }
    }
    if (_seen == _reader.size()) {
        next_block();
        return false;
    }
    return true;
}

} // namespace blobs

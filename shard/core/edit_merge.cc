#include "shard/core/edit_merge.hh"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/planted.hh"

namespace shard {
namespace {

// Where nothing but zeros follows; a place where a frame could begin.
uint64_t zeros_begin(std::string_view bytes) {
    uint64_t word = 0;
    static_assert(sizeof word == edit_frame_alignment);
    auto end = bytes.size();
    while (end > 0 && std::memcpy(&word, bytes.data() + end - sizeof word, sizeof word) && word == 0) {
        end -= sizeof word;
    }
    return end;
}

} // namespace

edit_merger::edit_merger(std::array<std::string_view, edit_copies_count> copies, const edit_header& header)
    : _copies(copies), _seed(edit_seed(header)), _snapshot_count(header.snapshot_count) {
    assert(copies[0].size() == copies[1].size());
    assert(copies[0].size() >= edit_block_bytes && copies[0].size() % edit_frame_alignment == 0);
    for (unsigned copy = 0; copy < edit_copies_count; ++copy) {
        if (parse_edit_header(copies[copy]) != header) {
            _repairs.push_back({copy, edit_repair::source::other_copy, 0, edit_block_bytes});
        }
        _written_end[copy] = zeros_begin(copies[copy]);
    }
}

std::optional<edit_frame> edit_merger::frame_at(unsigned copy, uint64_t position) const {
    auto frame = parse_edit_frame(_copies[copy].substr(position), _seed);
    return frame && frame->number >= _next_number ? frame : std::nullopt;
}

std::optional<std::string_view> edit_merger::next() {
    while (!_is_finished && _position < _copies[0].size()) {
        const auto first = frame_at(0, _position);
        const auto second = frame_at(1, _position);
        if (first || second) {
            return take(first ? *first : *second, {first.has_value(), second.has_value()});
        }
        if (!skip_damage()) {
            break;
        }
    }
    finish();
    return std::nullopt;
}

std::optional<std::string_view> edit_merger::take(const edit_frame& frame, std::array<bool, edit_copies_count> has) {
    for (unsigned copy = 0; copy < edit_copies_count; ++copy) {
        if (!has[copy]) {
            _repairs.push_back({copy, edit_repair::source::other_copy, _position, frame.frame_bytes()});
        }
    }
    if (!_lost.empty() && _lost.back().position + _lost.back().length == _position) {
        _lost.back().next_number = frame.number; // how many were lost shows only now
    } else if (frame.number != _next_number) {
        _lost.push_back({_position, 0, _next_number, frame.number});
    }
    _next_number = frame.number + 1;
    _position += frame.frame_bytes();
    return frame.edit;
}

// Where neither copy has a frame: moves to the next one, or says that there is none.
bool edit_merger::skip_damage() {
    std::optional<uint64_t> next_frame;
    bool was_durable = _next_number <= _snapshot_count || (_written_end[0] > _position && _written_end[1] > _position);
    const auto behind = std::max({_position, _written_end[0], _written_end[1]});
    for (auto at = _position + edit_frame_alignment; at < behind && !(next_frame && was_durable); at += edit_frame_alignment) {
        for (unsigned copy = 0; copy < edit_copies_count; ++copy) {
            if (const auto frame = frame_at(copy, at)) {
                was_durable |= frame->durable >= _next_number;
                next_frame = next_frame.value_or(at);
            }
        }
    }
    if (!was_durable) {
        return false;
    }
    const auto to = next_frame.value_or(behind);
    _lost.push_back({_position, to - _position, _next_number, std::max(_next_number, _snapshot_count) + 1});
    _position = to;
    if (!next_frame) {
        _next_number = _lost.back().next_number;
    }
    return next_frame.has_value();
}

void edit_merger::finish() {
    for (unsigned copy = 0; copy < edit_copies_count && !_is_finished; ++copy) {
        if (_written_end[copy] > _position) {
            _repairs.push_back({copy, edit_repair::source::zeros, _position, _written_end[copy] - _position});
        }
    }
    _is_finished = true;
}

void apply_repairs(std::array<std::string, edit_copies_count>& copies, const std::vector<edit_repair>& repairs) {
    for (const auto& repair : repairs) {
        auto& bytes = copies[repair.copy];
        const auto& other = copies[base::planted(base::bug::another_reader_for_repair) ? 0 : 1 - repair.copy];
        assert(repair.position + repair.length <= bytes.size());
        if (repair.from == edit_repair::source::zeros) {
            bytes.replace(repair.position, repair.length, repair.length, '\0');
        } else {
            bytes.replace(repair.position, repair.length, other, repair.position, repair.length);
        }
    }
}

} // namespace shard

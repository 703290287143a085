// Makes one history out of the two copies of an edit log, whatever happened to them.
//
// The copies are written one after the other: the second only when the first has been flushed. So a power cut can leave an
// unfinished tail in one of them at most, and what the second holds, the first had. From this follows what is done where
// neither copy has a frame that proves itself:
//
//   - some later frame, or the header, says that the missing edit was durable: damage in both copies. The stretch is told as
//     lost and the history goes on behind it;
//   - both copies hold something from there on: also damage in both, for an unfinished append shows in one of them only;
//   - otherwise it is the end. What one copy holds behind it is of an append nobody was told of, or damage, and is wiped.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shard/core/edit_frame.hh"

namespace shard {

constexpr unsigned edit_copies_count = 2;

// Edits [first_number, next_number) are gone from both copies. What stood at `position` is left as it is, so that it is told
// at every open until a rewrite.
struct lost_edits {
    uint64_t position = 0;
    uint64_t length = 0;
    uint64_t first_number = 0;
    uint64_t next_number = 0;

    bool operator==(const lost_edits&) const = default;
};

// What to write to make a copy whole: the same bytes of the other copy, or zeros.
struct edit_repair {
    enum class source : uint8_t { other_copy, zeros };

    unsigned copy = 0;
    source from = source::other_copy;
    uint64_t position = 0;
    uint64_t length = 0;

    bool operator==(const edit_repair&) const = default;
};

class edit_merger {
public:
    // Both copies from the first byte of the header block on, of the same length, and the header that one of them holds.
    edit_merger(std::array<std::string_view, edit_copies_count> copies, const edit_header&);

    // The next edit, borrowed from the copies; nothing at the end.
    std::optional<std::string_view> next();

    // The rest holds once next() has returned nothing.
    uint64_t end() const { return _position; }
    uint64_t next_number() const { return _next_number; }
    const std::vector<lost_edits>& lost() const { return _lost; }
    const std::vector<edit_repair>& repairs() const { return _repairs; }

private:
    std::optional<edit_frame> frame_at(unsigned copy, uint64_t position) const;
    std::optional<std::string_view> take(const edit_frame&, std::array<bool, edit_copies_count> has);
    bool skip_damage();
    void finish();

    const std::array<std::string_view, edit_copies_count> _copies;
    const uint64_t _seed;
    const uint64_t _snapshot_count;
    std::array<uint64_t, edit_copies_count> _written_end{}; // where the zeros begin
    uint64_t _position = edit_block_bytes;
    uint64_t _next_number = 1;
    std::vector<lost_edits> _lost;
    std::vector<edit_repair> _repairs;
    bool _is_finished = false;
};

// Makes both copies whole in memory.
void apply_repairs(std::array<std::string, edit_copies_count>& copies, const std::vector<edit_repair>&);

} // namespace shard

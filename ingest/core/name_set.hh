// Notices a name that comes twice in one line. Open addressing over indexes into the caller's list of names; emptied in no
// time between lines, since a slot counts only when it bears the number of the current line.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "ingest/core/limits.hh"

namespace ingest {

class name_set {
public:
    void clear() {
        if (++_generation == 0) {
            _slots = {};
            _generation = 1;
        }
    }

    // The index that an equal name was inserted with since clear(); or `index`, and the name is inserted with it.
    // name_at(i) is the name that was inserted as i. Holds at most fields_max + 1 names.
    template <class NameAt>
    uint32_t insert(std::string_view name, uint32_t index, NameAt&& name_at) {
        for (uint32_t i = hash(name);; ++i) {
            slot& s = _slots[i % _slots.size()];
            if (s.generation != _generation) {
                s = {_generation, index};
                return index;
            }
            if (name_at(s.index) == name) {
                return s.index;
            }
        }
    }

    // Only length and both ends: names that agree in these cost a compare each, and there are never many.
    static uint32_t hash(std::string_view name) {
        uint64_t first = 0;
        uint64_t last = 0;
        if (name.size() >= 8) {
            std::memcpy(&first, name.data(), 8);
            std::memcpy(&last, name.data() + name.size() - 8, 8);
        } else if (name.size() >= 4) {
            std::memcpy(&first, name.data(), 4);
            std::memcpy(&last, name.data() + name.size() - 4, 4);
        } else if (!name.empty()) {
            first = static_cast<uint8_t>(name.front()) | static_cast<uint64_t>(static_cast<uint8_t>(name[name.size() / 2])) << 8;
            last = static_cast<uint8_t>(name.back());
        }
        const uint64_t mixed = (first ^ (last + name.size()) * 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
        return static_cast<uint32_t>(mixed >> 40);
    }

private:
    struct slot {
        uint32_t generation = 0;
        uint32_t index = 0;
    };

    static constexpr size_t slots_count = 512;
    static_assert(slots_count > 2 * fields_max && fields_max >= tags_max, "probing must stay short and end");

    std::array<slot, slots_count> _slots{};
    uint32_t _generation = 1;
};

} // namespace ingest

// Strings one behind another, as Arrow has them: text i is bytes [offsets[i], offsets[i + 1]).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tables::codec {

struct texts {
    std::vector<int32_t> offsets{0};
    std::string bytes;

    size_t size() const { return offsets.size() - 1; }
    bool empty() const { return size() == 0; }
    std::string_view operator[](size_t i) const {
        return std::string_view(bytes).substr(static_cast<size_t>(offsets[i]), static_cast<size_t>(offsets[i + 1] - offsets[i]));
    }
    // The first that is not before it; size() when there is none. Needs: texts in order.
    size_t lower_bound(std::string_view text) const {
        size_t begin = 0;
        for (size_t end = size(); begin < end;) {
            const size_t middle = begin + (end - begin) / 2;
            if ((*this)[middle] < text) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        return begin;
    }
    std::string_view back() const { return (*this)[size() - 1]; }
    // Needs: below column_text_bytes_max in all.
    void push_back(std::string_view text) {
        bytes += text;
        offsets.push_back(static_cast<int32_t>(bytes.size()));
    }
    void clear() {
        offsets.resize(1);
        bytes.clear();
    }

    bool operator==(const texts&) const = default;
};

} // namespace tables::codec

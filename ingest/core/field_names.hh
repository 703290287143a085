// The names of one line's fields, each with the equals sign behind it, as they stand in the line. Lines of a family mostly have
// the same ones in the same order: a name that stands where it stood before needs no search for its end, and all that could be
// wrong with it was looked at then.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/core/value.hh"

namespace ingest {

class field_names {
public:
    // Longer lists are not remembered: this is kept for several families at a time.
    static constexpr size_t bytes_max = 4096;

    size_t size() const { return _ends.size(); }

    // The size of the i-th name, when `bytes` begins with it and its equals sign; else 0.
    size_t match(size_t i, std::string_view bytes) const {
        if (i >= _ends.size()) {
            return 0;
        }
        const size_t begin = i == 0 ? 0 : _ends[i - 1];
        const auto name = std::string_view(_text).substr(begin, _ends[i] - begin);
        return bytes.starts_with(name) ? name.size() - 1 : 0;
    }

    // Needs names that stand in the line as they are: nothing was escaped in them.
    void learn(std::span<const tables::property> fields);

private:
    std::string _text;
    std::vector<uint32_t> _ends;
};

} // namespace ingest

#include "bench/log_growth.hh"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

namespace bench {
namespace {

constexpr unsigned seconds_per_day = 86'400;

uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

class grower {
public:
    grower(uint64_t seed, uint64_t round)
        : _seed(mixed(seed + round * 0x9e3779b97f4a7c15)), _shift(static_cast<unsigned>(round * 7'919)) {}

    void grow_line(std::string_view line, std::string& out) const {
        for (size_t i = 0; i < line.size();) {
            if (const size_t size = clock_size(line, i); size != 0) {
                put_clock(line.substr(i, size), out);
                i += size;
                continue;
            }
            size_t end = i;
            bool has_digit = false;
            while (end < line.size() && is_hex(line[end])) {
                has_digit |= is_digit(line[end++]);
            }
            const bool is_word_inside = (i != 0 && std::isalnum(line[i - 1]) != 0 && !is_digit(line[i])) ||
                                        (end < line.size() && std::isalpha(line[end]) != 0 && !is_digit(line[i]));
            if (end - i >= 3 && has_digit && !is_word_inside) {
                put_other(line.substr(i, end - i), out);
                i = end;
            } else {
                out.push_back(line[i++]);
            }
        }
    }

private:
    // hh:mm:ss anywhere, or hhmmss as the second word of a line.
    static size_t clock_size(std::string_view line, size_t at) {
        const auto rest = line.substr(at);
        const auto two = [&](size_t i) { return rest.size() > i + 1 && is_digit(rest[i]) && is_digit(rest[i + 1]); };
        if ((at == 0 || !is_digit(line[at - 1])) && two(0) && two(3) && two(6) && rest[2] == ':' && rest[5] == ':') {
            return 8;
        }
        return at == 7 && line[6] == ' ' && two(0) && two(2) && two(4) && rest.size() > 6 && rest[6] == ' ' ? 6 : 0;
    }

    void put_clock(std::string_view text, std::string& out) const {
        const size_t step = text.size() == 8 ? 3 : 2;
        const auto two = [&](size_t i) { return static_cast<unsigned>((text[i] - '0') * 10 + (text[i + 1] - '0')); };
        const unsigned seconds = (two(0) * 3'600 + two(step) * 60 + two(2 * step) + _shift) % seconds_per_day;
        std::array<char, 16> buffer;
        const char* form = step == 3 ? "%02u:%02u:%02u" : "%02u%02u%02u";
        out.append(buffer.data(), static_cast<size_t>(std::snprintf(buffer.data(), buffer.size(), form, seconds / 3'600,
                                                                    seconds / 60 % 60, seconds % 60)));
    }

    // Of the same size and kind; the same for the same text.
    void put_other(std::string_view text, std::string& out) const {
        bool has_letter = false;
        uint64_t hash = _seed;
        for (const char c : text) {
            has_letter |= !is_digit(c);
            hash = mixed(hash ^ static_cast<uint8_t>(c));
        }
        for (size_t i = 0; i < text.size(); ++i) {
            hash = mixed(hash + i);
            const auto value = hash >> 40;
            const bool keeps_zero = text[i] == '0' && i == 0;
            const char other =
                has_letter ? "0123456789abcdef"[value % 16] : static_cast<char>('0' + (i == 0 ? 1 + value % 9 : value % 10));
            out.push_back(keeps_zero ? '0' : other);
        }
    }

    uint64_t _seed;
    unsigned _shift;
};

} // namespace

std::string grow_log(std::string_view sample, size_t bytes_min, uint64_t seed) {
    std::string out;
    for (uint64_t round = 0; out.size() < bytes_min && !sample.empty(); ++round) {
        const grower g(seed, round);
        for (auto rest = sample; !rest.empty();) {
            const auto line = rest.substr(0, rest.find('\n'));
            g.grow_line(line, out);
            out.push_back('\n');
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        }
    }
    return out;
}

} // namespace bench

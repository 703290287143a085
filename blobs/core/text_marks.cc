#include "blobs/core/text_marks.hh"

#include <bit>

#include "base/checksum.hh"
#include "blobs/core/text_shape.hh"

namespace blobs {
namespace {

// The values are on disk, in filters: these never change.
enum class kind : uint64_t { letters = 1, whole = 2, window = 3, host = 4, app = 5 };

uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44d;
    return x ^ (x >> 33);
}

mark mark_of(kind k, uint64_t bits) {
    return static_cast<mark>(mixed(bits ^ static_cast<uint64_t>(k) << 56));
}

mark name_mark(kind k, std::string_view name) {
    return mark_of(k, base::stable_hash(name) >> 8);
}

constexpr uint8_t mark_joiner = 32;

// Which bytes make mark words; one table look-up per byte.
constexpr std::array<uint8_t, 256> classes = [] {
    auto table = byte_class::table;
    for (const char c : {'.', '-', '_'}) {
        table[static_cast<uint8_t>(c)] |= mark_joiner;
    }
    return table;
}();
constexpr uint8_t mark_word = byte_class::run | mark_joiner;

uint8_t class_of(char c) {
    return classes[static_cast<uint8_t>(c)];
}

uint64_t load(const char* from, size_t size) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, size);
    return bits;
}

// Below window_bytes, so two overlapping loads have all of it.
uint64_t short_word_bits(std::string_view word) {
    const size_t half = std::min<size_t>(word.size(), 8);
    const uint64_t last = load(word.data() + word.size() - half, half);
    return (load(word.data(), half) ^ std::rotl(mixed(last + word.size()), 23)) >> 8;
}

template <class Visit>
void letters_marks(std::string_view word, const Visit& visit) {
    size_t letters = 0;
    for (size_t i = 0; i < word.size(); ++i) {
        letters = (class_of(word[i]) & byte_class::letter) != 0 ? letters + 1 : 0;
        if (letters >= letters_bytes) {
            visit(mark_of(kind::letters, load(&word[i + 1 - letters_bytes], letters_bytes)));
        }
    }
}

template <class Visit>
void window_marks(std::string_view word, const Visit& visit) {
    constexpr size_t grams = window_bytes - gram_bytes + 1;
    const auto gram_mark = [&](size_t begin) { return mark_of(kind::window, load(&word[begin], gram_bytes)); };
    size_t digit_end = 0; // behind the last digit of the window
    size_t least_at = 0;  // the gram with the least mark of the window, and that mark
    mark least = gram_mark(0);
    bool is_visited = false; // that mark
    for (size_t end = 1; end <= word.size(); ++end) {
        digit_end = (class_of(word[end - 1]) & byte_class::digit) != 0 ? end : digit_end;
        if (end <= gram_bytes) {
            continue;
        }
        const size_t newest = end - gram_bytes;
        if (least_at + grams <= newest) {
            // It has left the window: the next one is among those still in it.
            least_at = newest + 1 - grams;
            least = gram_mark(least_at);
            is_visited = false;
            for (size_t at = least_at + 1; at < newest; ++at) {
                if (const mark m = gram_mark(at); m < least) {
                    least = m;
                    least_at = at;
                }
            }
        }
        if (const mark m = gram_mark(newest); m < least) {
            least = m;
            least_at = newest;
            is_visited = false;
        }
        if (end >= window_bytes && digit_end + window_bytes > end && !is_visited) {
            visit(least);
            is_visited = true;
        }
    }
}

template <class Visit>
void word_marks(std::string_view word, bool is_whole, uint8_t classes_in_it, const Visit& visit) {
    const bool has_digit = (classes_in_it & byte_class::digit) != 0;
    if ((classes_in_it & byte_class::letter) != 0 && word.size() >= letters_bytes) {
        letters_marks(word, visit);
    }
    if (word.size() >= window_bytes) {
        if (has_digit) {
            window_marks(word, visit);
        }
    } else if (is_whole && word.size() >= word_bytes_min && (has_digit || word.size() == word_bytes_min)) {
        visit(mark_of(kind::whole, short_word_bits(word)));
    }
}

template <class Visit>
void each_mark(std::string_view piece, text_edges edges, const Visit& visit) {
    for (size_t begin = 0; begin < piece.size(); ++begin) {
        size_t end = begin;
        uint8_t any = 0;
        for (; end < piece.size() && (class_of(piece[end]) & mark_word) != 0; ++end) {
            any |= class_of(piece[end]);
        }
        if (end != begin) {
            const bool is_cut = edges == text_edges::open && (begin == 0 || end == piece.size());
            word_marks(piece.substr(begin, end - begin), !is_cut, any, visit);
        }
        begin = end;
    }
}

} // namespace

void add_marks(std::string_view piece, text_edges edges, std::vector<mark>& out) {
    each_mark(piece, edges, [&](mark m) { out.push_back(m); });
}

mark host_mark(std::string_view host) {
    return name_mark(kind::host, host);
}

mark app_mark(std::string_view app) {
    return name_mark(kind::app, app);
}

void mark_collector::add(std::string_view piece) {
    each_mark(piece, text_edges::closed, [&](mark m) { add_new(m); });
}

void mark_collector::clear() {
    // Each place begins with a mark that never comes to it.
    for (mark i = 0; i < _recent.size(); ++i) {
        _recent[i] = i + 1;
    }
    _marks.clear();
}

// By radix: three passes over bytes that a comparison sort would visit seventeen times.
const std::vector<mark>& mark_collector::sorted() {
    constexpr unsigned digit_bits = 11;
    constexpr size_t buckets = size_t{1} << digit_bits;
    for (unsigned shift = 0; shift < 32; shift += digit_bits) {
        std::array<uint32_t, buckets + 1> next{};
        for (const mark m : _marks) {
            ++next[(m >> shift) % buckets + 1];
        }
        for (size_t b = 0; b < buckets; ++b) {
            next[b + 1] += next[b];
        }
        _scratch.resize(_marks.size());
        for (const mark m : _marks) {
            _scratch[next[(m >> shift) % buckets]++] = m;
        }
        std::swap(_marks, _scratch);
    }
    const auto repeated = std::ranges::unique(_marks);
    _marks.erase(repeated.begin(), repeated.end());
    return _marks;
}

} // namespace blobs

#include "blobs/core/text_marks.hh"

#include <bit>
#include <optional>

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

static_assert(letters_bytes == sizeof(uint32_t) && word_bytes_min == 3 && window_bytes - 1 <= sizeof(uint64_t));

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

template <class T>
uint64_t load(const char* from) {
    T bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    return bits;
}

// At most eight bytes, by two loads of a fixed size that overlap. Needs: at least three.
uint64_t load_few(std::string_view bytes) {
    const size_t size = bytes.size();
    if (size == sizeof(uint64_t)) {
        return load<uint64_t>(bytes.data());
    }
    if (size >= sizeof(uint32_t)) {
        const size_t rest = size - sizeof(uint32_t);
        return load<uint32_t>(bytes.data()) | load<uint32_t>(bytes.data() + rest) << (8 * rest);
    }
    return load<uint16_t>(bytes.data()) | load<uint16_t>(bytes.data() + 1) << 8;
}

// Below both sizes of windows, so two overlapping loads have all of it.
uint64_t short_word_bits(std::string_view word) {
    const size_t half = std::min<size_t>(word.size(), 8);
    const uint64_t last = load_few(word.substr(word.size() - half));
    return (load_few(word.substr(0, half)) ^ std::rotl(mixed(last + word.size()), 23)) >> 8;
}

// Needs: three to eight bytes.
bool is_all_digits(std::string_view word) {
    const uint64_t used = ~uint64_t{0} >> (64 - 8 * word.size());
    const uint64_t bytes = load_few(word) ^ (0x3030303030303030 & used);
    return (((bytes + (0x7676767676767676 & used)) | bytes) & 0x8080808080808080) == 0;
}

template <class Visit>
void letters_marks(std::string_view word, const Visit& visit) {
    size_t letters = 0;
    for (size_t i = 0; i < word.size(); ++i) {
        letters = (class_of(word[i]) & byte_class::letter) != 0 ? letters + 1 : 0;
        if (letters >= letters_bytes) {
            visit(mark_of(kind::letters, load<uint32_t>(&word[i + 1 - letters_bytes])));
        }
    }
}

// Any gram of a word of at least eight bytes, by one load that stays inside it.
uint64_t gram_bits(std::string_view word, size_t begin) {
    constexpr uint64_t gram_mask = (uint64_t{1} << (8 * gram_bytes)) - 1;
    const size_t from = std::min(begin, word.size() - sizeof(uint64_t));
    return (load<uint64_t>(&word[from]) >> (8 * (begin - from))) & gram_mask;
}

// Hashes first and then their least, so that neither waits for a branch.
template <size_t Window, class Visit>
void window_marks(std::string_view word, const Visit& visit) {
    static_assert(Window >= sizeof(uint64_t));
    constexpr size_t grams = Window - gram_bytes + 1;
    std::array<mark, 64> hashes;
    size_t digit_end = 0; // behind the last digit before the end of the window
    size_t looked_at = 0;
    std::optional<mark> last;
    const size_t grams_count = word.size() - gram_bytes + 1;
    for (size_t begin = 0; begin + grams <= grams_count; begin += hashes.size() - grams + 1) {
        const size_t count = std::min(hashes.size(), grams_count - begin);
        for (size_t i = 0; i < count; ++i) {
            hashes[i] = mark_of(kind::window, gram_bits(word, begin + i));
        }
        for (size_t i = 0; i + grams <= count; ++i) {
            const size_t end = begin + i + Window;
            for (; looked_at < end; ++looked_at) {
                digit_end = (class_of(word[looked_at]) & byte_class::digit) != 0 ? looked_at + 1 : digit_end;
            }
            mark least = hashes[i];
            for (size_t g = 1; g < grams; ++g) {
                least = std::min(least, hashes[i + g]);
            }
            if (digit_end + Window > end && last != least) {
                visit(least);
                last = least;
            }
        }
    }
}

template <size_t Window, class Visit>
void word_marks(std::string_view word, bool is_whole, uint8_t classes_in_it, const Visit& visit) {
    const bool has_digit = (classes_in_it & byte_class::digit) != 0;
    if ((classes_in_it & byte_class::letter) != 0 && word.size() >= letters_bytes) {
        letters_marks(word, visit);
    }
    if (word.size() >= Window) {
        if (has_digit) {
            window_marks<Window>(word, visit);
        }
    } else if (is_whole && word.size() >= word_bytes_min && (has_digit || word.size() == word_bytes_min)) {
        visit(mark_of(kind::whole, short_word_bits(word)));
    }
}

template <size_t Window, class Visit>
void each_mark(std::string_view piece, text_edges edges, const Visit& visit) {
    for (size_t begin = 0; begin < piece.size(); ++begin) {
        size_t end = begin;
        uint8_t any = 0;
        for (; end < piece.size() && (class_of(piece[end]) & mark_word) != 0; ++end) {
            any |= class_of(piece[end]);
        }
        if (end != begin) {
            const bool is_cut = edges == text_edges::open && (begin == 0 || end == piece.size());
            word_marks<Window>(piece.substr(begin, end - begin), !is_cut, any, visit);
        }
        begin = end;
    }
}

} // namespace

void add_marks(std::string_view piece, text_edges edges, filter_scope scope, std::vector<mark>& out) {
    const auto take = [&](mark m) { out.push_back(m); };
    if (scope == filter_scope::texts) {
        each_mark<window_bytes_v1>(piece, edges, take);
    } else {
        each_mark<window_bytes>(piece, edges, take);
    }
}

mark host_mark(std::string_view host) {
    return name_mark(kind::host, host);
}

mark app_mark(std::string_view app) {
    return name_mark(kind::app, app);
}

void mark_collector::add(std::string_view piece) {
    if (piece.size() < word_bytes_min) {
        return;
    }
    // What most variables are.
    if (piece.size() < window_bytes && is_all_digits(piece)) {
        add_new(mark_of(kind::whole, short_word_bits(piece)));
        return;
    }
    each_mark<window_bytes>(piece, text_edges::closed, [&](mark m) { add_new(m); });
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

#include "tables/core/codec/int_vector.hh"

#include <algorithm>
#include <array>
#include <cassert>

#include "tables/core/codec/limits.hh"
#include "tables/core/codec/varint_size.hh"
#include "tables/core/codec/vectors.hh"

namespace tables::codec {
namespace {

constexpr uint8_t form_mask = 0x03;
constexpr uint8_t divisor_flag = 0x04;
constexpr uint8_t patches_flag = 0x08;
constexpr uint8_t codes_flag = 0x10;
constexpr uint8_t known_bits = form_mask | divisor_flag | patches_flag | codes_flag;

using values_array = std::array<int64_t, vector_size>;

int64_t difference(int64_t a, int64_t b) {
    return static_cast<int64_t>(unsigned_of(a) - unsigned_of(b));
}

// out[i] = in[i] - in[i - 1]. The first `settled` have no difference of their own and take that of the next, which any frame
// that holds the rest holds too.
std::span<const int64_t> differences(std::span<const int64_t> in, size_t settled, values_array& out) {
    assert(in.size() > settled);
    for (size_t i = settled; i < in.size(); ++i) {
        out[i] = difference(in[i], in[i - 1]);
    }
    std::fill_n(out.begin(), settled, out[settled]);
    return {out.data(), in.size()};
}

size_t head_size(const int_plan& plan) {
    return 1 + (plan.form == int_form::values ? 0 : varint_size(base::zigzag(plan.first))) +
           (plan.form == int_form::second_differences ? varint_size(base::zigzag(plan.first_difference)) : 0);
}

// About the head of a vector: forms that differ by less are both looked at.
constexpr size_t guess_slack_bits = 128;

// The three forms of one vector.
class candidates {
public:
    explicit candidates(std::span<const int64_t> values) {
        add(values);
        if (values.size() > 1 && !_guesses[0].is_constant) {
            add(differences(values, 1, _first));
        }
        if (values.size() > 2 && !_guesses[_size - 1].is_constant) {
            add(differences(_coded[1], 2, _second));
        }
    }

    size_t size() const { return _size; }
    std::span<const frame_guess> guesses() const { return {_guesses.data(), _size}; }

    // Exact.
    int_plan plan(size_t i) const {
        int_plan plan{.form = static_cast<int_form>(i), .frame = choose_frame(_coded[i], _guesses[i])};
        plan.first = plan.form == int_form::values ? 0 : _coded[0][0];
        plan.first_difference = plan.form == int_form::second_differences ? _coded[1][1] : 0;
        plan.size = head_size(plan) + frame_size(plan.frame, _coded[i].size());
        return plan;
    }

    // Of the form that is taken.
    void try_codes(int_plan& plan) const {
        const auto i = static_cast<size_t>(plan.form);
        if (auto coded = choose_coded(_coded[i], _guesses[i], plan.frame)) {
            plan.frame = std::move(*coded);
            plan.size = head_size(plan) + frame_size(plan.frame, _coded[i].size());
        }
    }

private:
    void add(std::span<const int64_t> coded) {
        _coded[_size] = coded;
        _guesses[_size++] = guess_frame(coded);
    }

    size_t _size = 0;
    std::array<std::span<const int64_t>, 3> _coded;
    std::array<frame_guess, 3> _guesses;
    values_array _first;
    values_array _second;
};

// x[i] = sum of (base + x[j]), four at a time: the sums inside a four do not wait for the one before.
void sum(std::span<uint64_t> x, uint64_t start, uint64_t base) {
    uint64_t run = start;
    size_t i = 0;
    for (; i + 4 <= x.size(); i += 4) {
        const uint64_t a = x[i] + base;
        const uint64_t b = a + x[i + 1] + base;
        const uint64_t c = b + x[i + 2] + base;
        const uint64_t d = b + (x[i + 2] + base) + (x[i + 3] + base);
        x[i] = run + a;
        x[i + 1] = run + b;
        x[i + 2] = run + c;
        x[i + 3] = run += d;
    }
    for (; i < x.size(); ++i) {
        x[i] = run += x[i] + base;
    }
}

} // namespace

int_plan plan_ints(std::span<const int64_t> values) {
    assert(!values.empty() && values.size() <= vector_size);
    candidates all(values);
    const size_t least_bits = std::ranges::min(all.guesses(), {}, &frame_guess::size_bits).size_bits;
    int_plan best{.size = SIZE_MAX};
    for (size_t i = 0; i < all.size(); ++i) {
        // A guess is good to some percent: only what comes near the best one is worth an exact look.
        if (all.guesses()[i].size_bits * 8 <= least_bits * 9 + 8 * guess_slack_bits) {
            auto plan = all.plan(i);
            best = plan.size < best.size ? plan : best;
        }
    }
    all.try_codes(best);
    return best;
}

void encode_ints(std::span<const int64_t> values, const int_plan& plan, std::string& out) {
    out.push_back(static_cast<char>(static_cast<uint8_t>(plan.form) | (plan.frame.has_divisor() ? divisor_flag : 0) |
                                    (plan.frame.has_patches() ? patches_flag : 0) | (plan.frame.has_codes() ? codes_flag : 0)));
    values_array first;
    values_array second;
    auto coded = values;
    if (plan.form != int_form::values) {
        base::put_varint(out, base::zigzag(plan.first));
        coded = differences(values, 1, first);
    }
    if (plan.form == int_form::second_differences) {
        base::put_varint(out, base::zigzag(plan.first_difference));
        coded = differences(coded, 2, second);
    }
    put_frame(coded, plan.frame, out);
}

bool decode_ints(std::string_view bytes, std::span<int64_t> out) {
    base::byte_reader in(bytes);
    const auto head = in.fixed<uint8_t>();
    const auto form = static_cast<int_form>(head & form_mask);
    if ((head & ~known_bits) != 0 || form > int_form::second_differences) {
        return false;
    }
    const uint64_t first = form == int_form::values ? 0 : unsigned_of(base::unzigzag(in.varint()));
    const uint64_t second = form == int_form::second_differences ? unsigned_of(base::unzigzag(in.varint())) : 0;
    const std::span<uint64_t> x(reinterpret_cast<uint64_t*>(out.data()), out.size());
    const auto base =
        unsigned_of(take_frame(in, {(head & divisor_flag) != 0, (head & patches_flag) != 0, (head & codes_flag) != 0}, x));
    if (!in.done()) {
        return false;
    }
    switch (form) {
    case int_form::values:
        for (auto& value : x) {
            value += base;
        }
        break;
    case int_form::differences: sum(x, first - (x[0] + base), base); break;
    case int_form::second_differences: {
        // Their sum gives the differences, and the sum of those the values; what stands in the first two places must not count.
        const uint64_t before = x[0] + base + (x.size() > 1 ? x[1] + base : 0);
        sum(x, second - before, base);
        sum(x, first - x[0], 0);
        break;
    }
    }
    return true;
}

} // namespace tables::codec

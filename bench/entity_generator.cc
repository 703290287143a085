#include "bench/entity_generator.hh"

#include <algorithm>

#include <fmt/format.h>

namespace bench {
namespace {

constexpr unsigned numbers_count = 12;
constexpr unsigned texts_count = 6;
constexpr unsigned words_per_text = 16;
constexpr const char* words[] = {"request", "timeout", "replica", "shard", "commit", "segment", "tenant", "gateway",
                                 "retry",   "cache",   "session", "quota", "region", "cluster", "worker", "stream"};

} // namespace

entity_generator::entity_generator(uint64_t seed) : _state(seed * 0x9e3779b97f4a7c15ULL + 1) {}

uint64_t entity_generator::random() { // splitmix64
    uint64_t z = (_state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

const std::vector<tables::property>& entity_generator::next() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (unsigned i = 0; i < numbers_count; ++i) {
            all.push_back(fmt::format("number{:02}", i));
        }
        for (unsigned i = 0; i < texts_count; ++i) {
            all.push_back(fmt::format("text{:02}", i));
        }
        return all; // sorted as made
    }();
    ++_count;
    _texts.assign(texts_count, {});
    _properties.clear();
    for (unsigned i = 0; i < numbers_count; ++i) {
        const auto r = random();
        _properties.push_back({names[i], i % 2 ? tables::value::of_int64(static_cast<int64_t>(r % 100'000))
                                               : tables::value::of_real(static_cast<double>(r % 10'000) / 100)});
    }
    for (unsigned i = 0; i < texts_count; ++i) {
        for (unsigned w = 0; w < words_per_text; ++w) {
            _texts[i] += words[random() % std::size(words)];
            _texts[i] += ' ';
        }
        _properties.push_back({names[numbers_count + i], tables::value::of_string(_texts[i])});
    }
    return _properties;
}

std::string entity_generator::partition_key() const {
    return fmt::format("partition{:03}", _state % 1000);
}

std::string entity_generator::row_key() const {
    return fmt::format("{:016x}{:08x}", _state, _count);
}

} // namespace bench

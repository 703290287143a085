// A log is made as the input says, then its bytes are mangled as the input says. Whatever happened to them, only records that
// were appended come out, in their order and unchanged, and records and reported damage together have no gap.
//
// Nothing mangled passes a 64-bit checksum by luck, so the oracle is exact.

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/coding.hh"
#include "tests/lib/wal_image.hh"

namespace {

using testing_lib::wal_image;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

constexpr size_t files_max = 4;
constexpr size_t log_bytes_max = 128 << 10;
constexpr size_t payload_bytes_max = 10'000;

size_t total_bytes(wal_image& image, size_t files) {
    size_t bytes = 0;
    for (size_t i = 0; i < files; ++i) {
        bytes += image.file(i).size();
    }
    return bytes;
}

wal_image make_log(base::byte_reader& in) {
    wal_image image;
    image.begin_file(1);
    for (auto steps = in.fixed<uint8_t>(); steps > 0 && in.ok() && total_bytes(image, image.sources().size()) < log_bytes_max;
         --steps) {
        const auto what = in.fixed<uint8_t>();
        if (what < 32 && image.sources().size() < files_max) {
            image.flush();
            image.begin_file(image.sources().back().id.number + 1 + what % 2);
        } else if (what < 96) {
            image.flush();
        } else {
            const size_t bytes = in.fixed<uint16_t>() % payload_bytes_max;
            image.append(std::string(bytes, static_cast<char>(what)), 1 + what % 3);
        }
    }
    if (in.fixed<uint8_t>() % 2 == 0) {
        image.append("", 0, shard::record_kind::end_mark);
    }
    image.flush();
    return image;
}

void mangle(wal_image& image, base::byte_reader& in) {
    while (in.remaining() >= 8) {
        const auto what = in.fixed<uint8_t>();
        const auto file = in.fixed<uint8_t>() % image.sources().size();
        auto& bytes = image.file(file);
        const size_t at = bytes.empty() ? 0 : in.fixed<uint32_t>() % bytes.size();
        const auto length = std::min<size_t>(in.fixed<uint16_t>(), bytes.size() - at);
        switch (what % 6) {
        case 0: bytes.resize(at); break;
        case 1: std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at), length, '\0'); break;
        case 2: bytes.replace(at, length, in.take(std::min(length, in.remaining()))); break;
        case 3: bytes.append(std::string(image.file(0).substr(0, length))); break; // stale or misplaced
        case 4: image.sources()[file].header.reset(); break;
        case 5: bytes.empty() ? void() : void(bytes[at] ^= static_cast<char>(1 + length % 255)); break;
        }
    }
}

void check(const wal_image& image, const testing_lib::wal_read& read) {
    std::map<uint64_t, const testing_lib::wal_read::record*> appended;
    for (const auto& record : image.records()) {
        appended[record.first] = &record;
    }
    std::vector<std::pair<uint64_t, uint64_t>> covered; // [first, next)
    for (const auto& record : read.records) {
        require(appended.contains(record.first) && *appended[record.first] == record);
        covered.emplace_back(record.first, record.first + record.sequences_count);
    }
    require(std::ranges::is_sorted(covered));
    for (const auto& damage : read.damages) {
        require(damage.first <= damage.last);
        covered.emplace_back(damage.first.value, damage.last.value + 1);
    }
    std::ranges::sort(covered);
    for (size_t i = 1; i < covered.size(); ++i) {
        require(covered[i].first == covered[i - 1].second);
    }
    require(covered.empty() || covered.back().second == read.end.next.value);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    base::byte_reader in({reinterpret_cast<const char*>(data), size});
    auto image = make_log(in);
    const auto sound = image.read();
    require(sound.records == image.records() && sound.damages.empty());
    mangle(image, in);
    check(image, image.read());
    return 0;
}

// A blob's readers on bytes from anywhere: whole files, and past the checksums each part alone. The first byte picks the part.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>

#include "blobs/core/blob_search.hh"
#include "blobs/core/pattern_literals.hh"

using namespace blobs;

static void check(bool is_good) {
    if (!is_good) {
        std::abort();
    }
}

static bool lies_in(std::string_view part, std::string_view text) {
    return part.empty() || (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size());
}

static void read_records(const block_reader& block) {
    record_scratch scratch;
    for (size_t i = 0; i < std::min<size_t>(block.size(), 300); ++i) {
        const auto r = block.read(i, scratch);
        check(!r || (r->text.size() <= text_bytes_max && r->level <= level_none));
        check(!r || lies_in(r->text, scratch.text));
    }
    std::string raw;
    if (block.raw_bytes() <= 65'536 && block.read_raw(raw)) {
        check(raw.size() == block.raw_bytes());
    }
}

static void read_block(std::string_view bytes) {
    static block_reader block;
    const bool has_heads = block.open(bytes, block_content::heads).has_value();
    const size_t size = block.size();
    if (block.open(bytes)) {
        check(has_heads && size == block.size());
        read_records(block);
    }
}

static void read_footer(std::string_view bytes) {
    constexpr uint64_t end = 1'000'000;
    const auto footer = blob_footer::parse(bytes, end);
    if (!footer) {
        return;
    }
    for (const auto& block : footer->blocks) {
        check(block.extent.end() <= end && block.facts.first_ns <= block.facts.last_ns);
    }
    check(footer->slices.back().end() == end);
    std::string again;
    footer->encode(again);
    const auto back = blob_footer::parse(again, end);
    check(back && back->blocks == footer->blocks && back->slices == footer->slices && back->identity == footer->identity);
}

static void read_filter(std::string_view bytes) {
    const filter_shape shape{
        .marks_count = 1'000, .rice_bits = static_cast<uint8_t>(bytes.size() % (rice_bits_max + 1)), .kept_parts = 200};
    for (mark m = 1; m != 0; m *= 3) {
        std::ignore = may_have(shape, slices_bits_max, bytes, m);
        if (m > UINT32_MAX / 3) {
            break;
        }
    }
}

static void read_file(std::string_view file) {
    if (file.size() < blob_layout::trailers_bytes) {
        return;
    }
    const auto trailer = blob_trailer::parse(file.substr(file.size() - blob_layout::trailers_bytes), file.size());
    if (!trailer) {
        return;
    }
    const auto blob = blob_view::open(*trailer, file.substr(trailer->footers().offset, trailer->footers().size));
    if (!blob) {
        return;
    }
    static block_reader block;
    record_predicate p;
    p.texts.push_back({text_test::subject::text, text_test::kind::contains, "needle 12345"});
    const auto predicate = compiled_predicate::compile(std::move(p));
    blob_search search(*blob, *predicate, scan_order::newest_first, block);
    while (const auto wanted = search.next()) {
        std::ignore = search.bring(file.substr(wanted->offset, wanted->size));
        for (bool more = true; more;) {
            const auto scanned = search.scan([](const record&) { return true; });
            more = scanned && *scanned;
        }
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 5) {
    case 0: read_block(bytes); break;
    case 1: read_footer(bytes); break;
    case 2: read_filter(bytes); break;
    case 3: read_file(bytes); break;
    case 4: std::ignore = required_literals(bytes); break;
    }
    return 0;
}

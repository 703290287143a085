// Any stream is messages, the same ones when it comes in two pieces, and every message is a record made of its own bytes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "ingest/core/limits.hh"
#include "ingest/core/syslog.hh"
#include "ingest/core/syslog_framing.hh"

namespace {

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

bool is_inside(std::string_view part, std::string_view whole) {
    return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void read(std::string_view message) {
    static ingest::record_builder builder;
    const auto& record =
        ingest::syslog_reader(builder).read(message, {.time_ns = 1'790'000'000'000'000'000, .utc_offset_s = 3600});
    for (auto part : {record.host, record.app, record.process_id, record.message_id, record.message}) {
        require(is_inside(part, message));
    }
    require(record.level <= 7 && record.facility <= 23 && record.fields.size() <= ingest::fields_max);
    // The message is the end of the bytes, but for a line end that was counted: nothing behind a header is lost.
    const auto said = message.ends_with('\n') ? message.substr(0, message.size() - 1) : message;
    require(record.message.empty() || record.message.end() == said.end());
}

std::vector<std::string> split(std::string_view first, std::string_view second) {
    ingest::syslog_splitter splitter;
    std::vector<std::string> messages;
    std::string kept;
    for (int i = 0; i < 2; ++i) {
        kept += i == 0 ? first : second;
        const std::vector<char> exact(kept.begin(), kept.end());
        std::string_view rest(exact.data(), exact.size());
        while (const auto m = splitter.next(rest, i == 0 ? ingest::input_end::no : ingest::input_end::yes)) {
            read(m->bytes);
            messages.push_back(std::string(m->bytes) + (m->is_cut ? "..." : ""));
        }
        kept = std::string(rest);
    }
    return messages;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    // The first byte says where to cut.
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    const size_t cut = input.size() * data[0] / 256;
    require(split({}, input) == split(input.substr(0, cut), input.substr(cut)));
    return 0;
}

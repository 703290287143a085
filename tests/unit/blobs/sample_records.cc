#include "tests/unit/blobs/sample_records.hh"

#include <bit>

#include <fmt/format.h>

namespace blobs::test {

using base::value;
using base::value_type;

record owned_record::view(std::vector<base::property>& scratch) const {
    scratch.clear();
    const std::string_view whole = text;
    for (const auto& f : fields) {
        const auto bytes = f.is_in_text ? whole.substr(f.begin, f.size) : std::string_view(f.bytes);
        auto v = value::of_string(bytes);
        switch (f.type) {
        case value_type::string: break;
        case value_type::binary: v = value::of_binary(bytes); break;
        case value_type::int32: v = value::of_int32(static_cast<int32_t>(f.bits)); break;
        case value_type::int64: v = value::of_int64(static_cast<int64_t>(f.bits)); break;
        case value_type::real: v = value::of_real(std::bit_cast<double>(f.bits)); break;
        case value_type::boolean: v = value::of_boolean(f.bits % 2 != 0); break;
        case value_type::datetime: v = value::of_datetime({static_cast<int64_t>(f.bits)}); break;
        case value_type::guid: {
            base::guid g;
            g.bytes.fill(static_cast<uint8_t>(f.bits));
            v = value::of_guid(g);
        }
        }
        scratch.push_back({f.name, v});
    }
    return {.order = order,
            .level = level,
            .host = host,
            .app = app,
            .text = text,
            .message = is_message_apart ? std::string_view(message_apart) : whole.substr(message_begin, message_size),
            .fields = scratch};
}

std::string record_source::letters(size_t size) {
    std::string text(size, ' ');
    for (auto& c : text) {
        c = static_cast<char>('a' + below(26));
    }
    return text;
}

std::string record_source::hex(size_t size) {
    std::string text(size, ' ');
    for (auto& c : text) {
        c = "0123456789abcdef"[below(16)];
    }
    return text;
}

std::string record_source::uuid() {
    return fmt::format("{}-{}-{}-{}-{}", hex(8), hex(4), hex(4), hex(4), hex(12));
}

void record_source::take_order(owned_record& r) {
    _time_ns += static_cast<int64_t>(below(4) == 0 ? 0 : below(30)) * 1'000'000;
    r.order = {_time_ns, 3, ++_sequence};
    r.level = static_cast<uint8_t>(below(levels_count));
    r.host = fmt::format("host-{}", below(3));
    r.app = below(10) == 0 ? "" : "sshd";
}

owned_record record_source::line() {
    owned_record r;
    take_order(r);
    if (_ids.empty() || below(4) == 0) {
        _ids.push_back(uuid());
    }
    const auto& id = _ids[_ids.size() - 1 - below(std::min<size_t>(_ids.size(), 5))];
    const int64_t ms = r.order.time_ns / 1'000'000;
    const auto head =
        fmt::format("2026-11-16 {:02}:{:02}:{:02},{:03} ", ms / 3'600'000 % 24, ms / 60'000 % 60, ms / 1'000 % 60, ms % 1'000);
    switch (below(7)) {
    case 0:
        r.text = fmt::format("{}INFO [req-{}] GET /v2/{}/servers status: {} len: {} time: 0.{:07}", head, id, hex(32),
                             200 + below(5), below(4'000), below(10'000'000));
        break;
    case 1:
        r.text = fmt::format("{}Failed password for invalid user {} from {}.{}.{}.{} port {} ssh2", head, letters(1 + below(9)),
                             below(256), below(256), below(256), below(256), below(65'536));
        break;
    case 2:
        r.text = fmt::format("{}PacketResponder {} for block blk_{}{} terminating", head, below(3), below(2) == 0 ? "-" : "",
                             below(UINT64_MAX));
        break;
    case 3: r.text = fmt::format("{}session opened for user root by (uid={:04})", head, below(20)); break;
    case 4:
        r.text = fmt::format("{}device eth{} mac {}:{}:{} token {}Q{}x{}", head, below(4), hex(2), hex(2), hex(2), hex(3),
                             below(99), letters(2));
        break;
    case 5: r.text = fmt::format("{}checksum 0x{} of {} bytes: ok", head, hex(8), below(1'000'000'000'000)); break;
    default: r.text = fmt::format("{}worker {} leaves {} after {} ms", head, letters(4), letters(6), below(100'000));
    }
    r.message_begin = std::min(head.size(), r.text.size());
    r.message_size = r.text.size() - r.message_begin;
    return r;
}

void record_source::add_fields(owned_record& r) {
    const size_t count = below(6);
    for (size_t i = 0; i < count; ++i) {
        owned_record::field f{.name = fmt::format("f{}", i), .type = static_cast<value_type>(1 + below(8)), .bits = _random()};
        if (f.type == value_type::string && !r.text.empty() && below(2) == 0) {
            f.is_in_text = true;
            f.begin = below(r.text.size());
            f.size = below(std::min<size_t>(r.text.size() - f.begin, 40) + 1);
        } else {
            f.bytes = letters(below(12));
        }
        r.fields.push_back(std::move(f));
    }
}

owned_record record_source::nasty() {
    owned_record r;
    take_order(r);
    switch (below(10)) {
    case 0: break;
    case 1: r.text = std::string(below(5), '\n'); break;
    case 2:
        for (size_t i = below(300); i != 0; --i) {
            r.text.push_back(static_cast<char>(below(256)));
        }
        break;
    case 3: r.text = fmt::format("first line {}\n\tat frame {}\n\tat frame {}\r\n", below(100), below(100), below(100)); break;
    case 4: r.text = std::string(below(60), static_cast<char>('0' + below(10))); break;
    case 5: r.text = fmt::format("{}{}", std::string(below(30), '0'), below(UINT64_MAX)); break;
    case 6: r.text = fmt::format("{}\x01{}\x02", below(100), below(100)); break;
    case 7: r.text = fmt::format("-{}.:_{}{}-{}", below(10), hex(below(70)), below(5), uuid()); break;
    case 8:
        r.text = "gr\xc3\xbc\xc3\x9f"
                 "e 7 \xff\xfe 1a2b3c4d5e \xe4" +
                 letters(3);
        break;
    default:
        for (size_t i = below(200); i != 0; --i) {
            r.text += fmt::format("{} ", below(1'000));
        }
    }
    r.is_message_apart = below(3) == 0;
    if (r.is_message_apart) {
        r.message_apart = letters(below(20)) + " 42";
    } else if (!r.text.empty()) {
        r.message_begin = below(r.text.size());
        r.message_size = below(r.text.size() - r.message_begin + 1);
    }
    add_fields(r);
    return r;
}

std::vector<owned_record> record_source::records(size_t count, unsigned nasty_percent) {
    std::vector<owned_record> made;
    for (size_t i = 0; i < count; ++i) {
        made.push_back(below(100) < nasty_percent ? nasty() : line());
    }
    return made;
}

std::string raw_text(const std::vector<owned_record>& records) {
    std::string raw;
    for (const auto& r : records) {
        raw += r.text;
        raw += '\n';
    }
    return raw;
}

} // namespace blobs::test

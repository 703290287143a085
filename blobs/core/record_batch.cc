#include "blobs/core/record_batch.hh"

#include <cassert>
#include <utility>

#include "blobs/core/name_place.hh"

namespace blobs {
namespace {

constexpr uint8_t version = 1;
enum class how : uint8_t { plain = 0, zstd = 1 };

constexpr size_t batch_head_bytes_max = 12;
// What the head of a group takes at most beside its source: two sizes, a lane, a sequence.
constexpr size_t group_numbers_bytes = 20;

std::unexpected<base::error> bad_batch(const char* what) {
    return base::fail(base::errc::corrupt, std::string("not a batch of records: ") + what);
}

// Visits all, or with an empty visitor only checks.
bool walk(std::string_view body, const batch_visitor& visit) {
    base::byte_reader in(body);
    std::vector<base::property> fields;
    uint64_t records_count = 0;
    while (in.ok() && in.remaining() != 0) {
        const auto source = in.bytes();
        const uint64_t lane = in.varint();
        const uint64_t first_sequence = in.varint();
        const uint64_t count = in.varint();
        records_count += count;
        if (!in.ok() || source.size() > source_bytes_max || lane > UINT32_MAX || count > batch_records_max ||
            records_count > batch_records_max) {
            return false;
        }
        for (uint64_t i = 0; i < count; ++i) {
            const auto before = in.rest();
            auto r = take_record(in, fields);
            if (!in.ok()) {
                return false;
            }
            r.order.lane = static_cast<uint32_t>(lane);
            r.order.sequence = first_sequence + i;
            if (visit) {
                visit(source, r, before.substr(0, before.size() - in.remaining()));
            }
        }
    }
    return in.done();
}

} // namespace

bool record_batch_builder::goes_on(const group& g, uint32_t lane, uint64_t sequence) {
    return g.lane == lane && g.first_sequence + g.count == sequence;
}

uint32_t record_batch_builder::last_group_of(std::string_view source) const {
    const auto recent = _recent[name_place(source) % _recent.size()];
    if (recent != none && _groups[recent].source == source) {
        return recent;
    }
    const auto found = _last_groups.find(source);
    return found == _last_groups.end() ? none : found->second;
}

void record_batch_builder::begin_group(std::string_view source, uint32_t lane, uint64_t first_sequence) {
    assert(source.size() <= source_bytes_max);
    const auto last = last_group_of(source);
    if (last != none && goes_on(_groups[last], lane, first_sequence)) {
        _open = last;
    } else {
        _open = static_cast<uint32_t>(_groups.size());
        _groups.push_back({.source = std::string(source), .lane = lane, .first_sequence = first_sequence});
        _heads_bytes += source.size() + group_numbers_bytes;
        _last_groups.insert_or_assign(std::string(source), _open);
    }
    _recent[name_place(source) % _recent.size()] = _open;
}

void record_batch_builder::add(const record& r) {
    assert(_open != none && is_within_limits(r) && !is_full());
    put_record(r, _coded);
    const auto added = static_cast<uint32_t>(_records.size());
    _records.push_back({.end = static_cast<uint32_t>(_coded.size())});
    auto& g = _groups[_open];
    (g.count == 0 ? g.first : _records[g.last].next) = added;
    g.last = added;
    ++g.count;
}

void record_batch_builder::put_group(const group& g, std::string& body) const {
    if (g.count == 0) {
        return;
    }
    base::put_bytes(body, g.source);
    base::put_varint(body, g.lane);
    base::put_varint(body, g.first_sequence);
    base::put_varint(body, g.count);
    for (uint32_t i = g.first; i != none; i = _records[i].next) {
        const size_t begin = i == 0 ? 0 : _records[i - 1].end;
        body.append(_coded, begin, _records[i].end - begin);
    }
}

std::string record_batch_builder::finish(zstd_compressor& zstd, std::string& out) {
    std::string body;
    body.reserve(raw_bytes());
    for (const auto& g : _groups) {
        put_group(g, body);
    }
    _frame.clear();
    const bool pays = zstd.compress(body, _frame);
    out.reserve(out.size() + batch_head_bytes_max + (pays ? _frame : body).size());
    out.push_back(static_cast<char>(version));
    out.push_back(static_cast<char>(pays ? how::zstd : how::plain));
    base::put_varint(out, body.size());
    out += pays ? _frame : body;
    _coded.clear();
    _records.clear();
    _groups.clear();
    _last_groups.clear();
    _recent.fill(none);
    _open = none;
    _heads_bytes = 0;
    return body;
}

base::expected<void> read_batch(std::string_view batch, zstd_decompressor& zstd, std::string& scratch,
                                const batch_visitor& visit) {
    base::byte_reader in(batch);
    const auto file_version = in.fixed<uint8_t>();
    const auto form = in.fixed<uint8_t>();
    const uint64_t raw_size = in.varint();
    if (in.ok() && file_version > version) {
        return base::fail(base::errc::newer_format, "the batch was written by a later version of this program");
    }
    if (!in.ok() || file_version != version || form > static_cast<uint8_t>(how::zstd) || raw_size > batch_bytes_max) {
        return bad_batch("its head is out of bounds");
    }
    auto body = in.rest();
    if (form == static_cast<uint8_t>(how::zstd)) {
        scratch.resize(raw_size);
        if (!zstd.decompress(body, scratch)) {
            return bad_batch("it does not decompress");
        }
        body = scratch;
    }
    // All or nothing: a batch is looked through before anything of it is handed out.
    if (body.size() != raw_size || !walk(body, nullptr)) {
        return bad_batch("its records do not parse");
    }
    walk(body, visit);
    return {};
}

void visit_body(std::string_view body, const batch_visitor& visit) {
    const bool is_whole = walk(body, visit);
    assert(is_whole);
    (void)is_whole;
}

} // namespace blobs

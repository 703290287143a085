#include "blobs/core/record_batch.hh"

#include <cassert>
#include <utility>

namespace blobs {
namespace {

constexpr uint8_t version = 1;
enum class how : uint8_t { plain = 0, zstd = 1 };

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

void record_batch_builder::begin_group(std::string_view source, uint32_t lane, uint64_t first_sequence) {
    assert(source.size() <= source_bytes_max);
    end_group();
    _group_head.clear();
    base::put_bytes(_group_head, source);
    base::put_varint(_group_head, lane);
    base::put_varint(_group_head, first_sequence);
}

void record_batch_builder::add(const record& r) {
    assert(!_group_head.empty() && is_within_limits(r) && !is_full());
    put_record(r, _group);
    ++_group_count;
    ++_records_count;
}

void record_batch_builder::end_group() {
    if (_group_count != 0) {
        _body += _group_head;
        base::put_varint(_body, _group_count);
        _body += _group;
    }
    _group.clear();
    _group_count = 0;
}

std::string record_batch_builder::finish(zstd_compressor& zstd, std::string& out) {
    end_group();
    std::string frame;
    const bool pays = zstd.compress(_body, frame);
    out.push_back(static_cast<char>(version));
    out.push_back(static_cast<char>(pays ? how::zstd : how::plain));
    base::put_varint(out, _body.size());
    out += pays ? frame : _body;
    _group_head.clear();
    _records_count = 0;
    return std::exchange(_body, {});
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

#include "blobs/source_scan.hh"

#include <algorithm>
#include <optional>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "blobs/core/blob_name.hh"
#include "blobs/core/buffer_search.hh"
#include "blobs/log_store.hh"

namespace blobs {
namespace {

// A buffer or a blob.
struct part {
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    buffer_ptr buffer;
    blob_ptr blob;
};

void add_buffers(const std::map<period_number, buffer_ptr>& buffers, std::vector<part>& parts) {
    for (const auto& [period, buffer] : buffers) {
        buffer->sort();
        if (!buffer->is_empty()) {
            parts.push_back({buffer->order(0).time_ns, buffer->order(buffer->size() - 1).time_ns, buffer, {}});
        }
    }
}

class search {
public:
    search(log_store& store, source_scan asked, record_consumer& consumer, blob_cache::lent_reader reader)
        : _store(store), _asked(std::move(asked)), _consumer(consumer), _reader(std::move(reader)) {}

    seastar::future<base::expected<void>> run() {
        const auto hold = _store.work().try_hold();
        if (!hold) {
            co_return base::fail(base::errc::shutting_down, "the server is stopping");
        }
        ++_store.counters().searches_total;
        const auto parts = find_parts();
        for (const auto& p : parts) {
            const auto wanted = _consumer.begin_part();
            if (!wanted.overlaps(p.first_ns, p.last_ns)) {
                continue;
            }
            if (auto compiled = compile(wanted); !compiled) {
                co_return compiled;
            }
            auto looking = p.buffer ? search_buffer(p) : search_blob(p);
            auto done = co_await std::move(looking);
            if (!done) {
                co_return done;
            }
        }
        co_return base::expected<void>();
    }

private:
    // As they are now. What is sealed meanwhile is still found in the buffer it was in.
    std::vector<part> find_parts() const {
        std::vector<part> parts;
        const auto source = _store.find_source(_asked.source);
        if (!source) {
            return parts;
        }
        add_buffers(source->open, parts);
        add_buffers(source->frozen, parts);
        for (const auto& b : source->blobs) {
            if ((b->facts.levels & _asked.where.levels) != 0) {
                parts.push_back({b->facts.first_ns, b->facts.last_ns, {}, b});
            }
        }
        if (_asked.order == scan_order::newest_first) {
            std::ranges::sort(parts, std::greater<>(), &part::last_ns);
        } else {
            std::ranges::sort(parts, {}, &part::first_ns);
        }
        return parts;
    }

    base::expected<void> compile(time_span wanted) {
        if (_predicate && _compiled_for == wanted) {
            return {};
        }
        auto where = _asked.where;
        where.first_ns = wanted.first_ns;
        where.last_ns = wanted.last_ns;
        auto compiled = compiled_predicate::compile(std::move(where));
        if (!compiled) {
            return std::unexpected(compiled.error());
        }
        _predicate.emplace(std::move(*compiled));
        _compiled_for = wanted;
        return {};
    }

    seastar::future<base::expected<void>> search_buffer(const part& p) {
        buffer_search one(*p.buffer, *_predicate, _asked.order);
        bool has_more = true;
        while (has_more) {
            has_more = one.scan([this](const record& r) { return _consumer.take(r); });
            if (auto ok = co_await _consumer.go_on(std::min(blob_search::scan_records_max, p.buffer->size())); !ok) {
                co_return ok;
            }
            co_await seastar::coroutine::maybe_yield();
        }
        co_return base::expected<void>();
    }

    seastar::future<base::expected<void>> search_blob(const part& p) {
        auto blob = co_await _store.open_blobs().open(p.blob);
        if (!blob) {
            co_return pass({blob_name(p.blob->facts.identity), {p.first_ns, p.last_ns}, std::move(blob.error())});
        }
        blob_search one((*blob)->view(), *_predicate, _asked.order, *_reader, _asked.parts);
        base::expected<void> outcome;
        while (const auto wanted = one.next()) {
            const auto bytes = co_await (*blob)->read(*wanted);
            outcome = co_await look_into(one, bytes, p.blob->facts);
            if (!outcome) {
                outcome =
                    pass({blob_name(p.blob->facts.identity), times_at((*blob)->view(), *wanted), std::move(outcome.error())});
            }
            if (!outcome) {
                break;
            }
        }
        auto& counts = _store.counters();
        counts.blocks_read_total += one.blocks_read();
        _consumer.count_blocks(one.blocks_read());
        counts.blocks_skipped_total +=
            (*blob)->view().blocks().size() - std::min((*blob)->view().blocks().size(), one.blocks_read());
        counts.search_bytes_total += one.bytes_read();
        co_return outcome;
    }

    static time_span times_at(const blob_view& blob, blob_extent block) {
        const auto found = std::ranges::find(blob.blocks(), block.offset, [](const block_entry& b) { return b.extent.offset; });
        return found == blob.blocks().end() ? time_span() : time_span{found->facts.first_ns, found->facts.last_ns};
    }

    base::expected<void> pass(blob_damage lost) {
        const bool is_damage = lost.why.code == base::errc::corrupt || lost.why.code == base::errc::io_error;
        return is_damage && _consumer.pass(lost) ? base::expected<void>() : std::unexpected(std::move(lost.why));
    }

    // The bytes outlive the future.
    seastar::future<base::expected<void>>
    look_into(blob_search& one, const base::expected<seastar::temporary_buffer<char>>& bytes, const stored_blob& facts) {
        const auto blocks_before = one.blocks_read();
        auto good = one.bring(bytes ? std::string_view(bytes->get(), bytes->size()) : std::string_view());
        if (!good && one.blocks_read() > blocks_before) { // a filter that is damaged hides nothing
            co_return std::unexpected(bytes ? about(facts, good.error()) : bytes.error());
        }
        bool has_more = true;
        while (has_more) {
            const auto scanned = one.scan([this](const record& r) { return _consumer.take(r); });
            if (!scanned) {
                co_return std::unexpected(about(facts, scanned.error()));
            }
            has_more = *scanned;
            if (auto ok = co_await _consumer.go_on(std::min<uint64_t>(blob_search::scan_records_max, facts.records_count)); !ok) {
                co_return ok;
            }
            co_await seastar::coroutine::maybe_yield();
        }
        co_return base::expected<void>();
    }

    log_store& _store;
    const source_scan _asked;
    record_consumer& _consumer;
    blob_cache::lent_reader _reader;
    std::optional<compiled_predicate> _predicate;
    time_span _compiled_for;
};

} // namespace

seastar::future<base::expected<void>> scan(log_store& store, source_scan asked, record_consumer& consumer) {
    auto reader = co_await store.open_blobs().lend_reader();
    search one(store, std::move(asked), consumer, std::move(reader));
    co_return co_await one.run();
}

} // namespace blobs

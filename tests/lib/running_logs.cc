#include "tests/lib/running_logs.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/thread.hh>

namespace testing_lib {
namespace {

class collecting final : public blobs::record_consumer {
public:
    collecting(std::string source, blobs::time_span span, size_t count)
        : _source(std::move(source)), _span(span), _count(count) {}

    blobs::time_span begin_part() override {
        _left = _count;
        return _span;
    }
    bool take(const blobs::record& r) override {
        found.push_back({_source, r.order.time_ns, r.level, std::string(r.text)});
        return --_left > 0;
    }
    seastar::future<base::expected<void>> go_on(uint64_t) override { co_return base::expected<void>(); }

    std::vector<sent_record> found;

private:
    std::string _source;
    blobs::time_span _span;
    size_t _count, _left = 0;
};

} // namespace

running_logs::running_logs(sim::sim_disk& disk, options o) {
    o.engine.before_open = [this, config = o.logs](seastar::sharded<tables::engine>& all) {
        _logs.start(config, blobs::log_store::release([&all] { all.local().release_log(); })).get();
        all.invoke_on_all([this](tables::engine& e) { e.set_log_user(&_logs.local()); }).get();
    };
    _engine = std::make_unique<running_engine>(disk, o.engine);
}

running_logs::~running_logs() {
    _engine = nullptr;
    _logs.stop().get();
}

base::expected<void> running_logs::append(blobs::log_store& store, const std::vector<sent_record>& records) {
    blobs::zstd_compressor zstd(blobs::zstd_level_log);
    blobs::record_batch_builder builder;
    blobs::log_batch batch;
    for (const auto& r : records) {
        const auto sequence = store.next_sequence(r.source);
        if (!sequence) {
            return base::fail(base::errc::invalid_argument, "too many sources");
        }
        builder.begin_group(r.source, seastar::this_shard_id(), *sequence);
        builder.add({.order = {.time_ns = r.time_ns}, .level = r.level, .text = r.text, .message = r.text});
        ++batch.records_count;
        batch.raw_bytes += r.text.size() + 1;
        batch.sequence_end = std::max(batch.sequence_end, *sequence + 1);
    }
    builder.finish(zstd, batch.payload);
    return store.append(std::move(batch)).get();
}

base::expected<void> running_logs::append(blobs::log_store& store, const std::string& source, const blobs::record& r) {
    const auto sequence = store.next_sequence(source);
    if (!sequence) {
        return base::fail(base::errc::invalid_argument, "too many sources");
    }
    blobs::zstd_compressor zstd(blobs::zstd_level_log);
    blobs::record_batch_builder builder;
    builder.begin_group(source, seastar::this_shard_id(), *sequence);
    builder.add(r);
    blobs::log_batch batch;
    batch.records_count = 1;
    batch.raw_bytes = r.text.size() + 1;
    batch.sequence_end = *sequence + 1;
    builder.finish(zstd, batch.payload);
    return store.append(std::move(batch)).get();
}

base::expected<void> running_logs::seal() {
    base::expected<void> outcome;
    for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
        auto sealed = _logs.invoke_on(shard, [](blobs::log_store& store) { return store.flush(); }).get();
        if (!sealed) {
            outcome = sealed;
        }
    }
    return outcome;
}

base::expected<std::vector<sent_record>> running_logs::search(const std::string& source, blobs::record_predicate where,
                                                              blobs::scan_order order, size_t count) {
    std::vector<sent_record> all;
    for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
        auto found = _logs
                         .invoke_on(shard,
                                    [&](blobs::log_store& store) {
                                        return seastar::async([&store, &source, &where, order, count] {
                                            collecting into(source, {where.first_ns, where.last_ns}, count);
                                            auto done = blobs::scan(store, {source, where, order}, into).get();
                                            return done ? base::expected<std::vector<sent_record>>(std::move(into.found))
                                                        : std::unexpected(done.error());
                                        });
                                    })
                         .get();
        if (!found) {
            return found;
        }
        all.insert(all.end(), found->begin(), found->end());
    }
    std::ranges::stable_sort(all, {}, &sent_record::time_ns);
    return all;
}

} // namespace testing_lib

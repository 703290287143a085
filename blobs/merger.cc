#include "blobs/merger.hh"

#include <algorithm>
#include <map>
#include <memory>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>
#include <seastar/coroutine/switch_to.hh>
#include <seastar/util/log.hh>

#include "blobs/core/blob_merge.hh"
#include "blobs/core/blob_name.hh"
#include "blobs/log_store.hh"
#include "shard/background.hh"
#include "shard/disk_error.hh"

namespace blobs {
namespace {

seastar::logger logger("blob_merger");

// Inputs of one merge: each has a decoded block in memory.
constexpr size_t inputs_max = 8;
static_assert(inputs_max <= merge_inputs_max);
// A blob that has this much, raw, is not merged any more.
constexpr uint64_t blob_raw_bytes_max = 256u << 20;
// Of one round, so that it ends soon and its edit is short.
constexpr uint64_t round_raw_bytes_max = 256u << 20;
constexpr size_t round_groups_max = 512;

shard::manifest* manifest_of(const std::vector<blob_ptr>& blobs) {
    return &blobs.front()->file->listed_in();
}

uint64_t raw_bytes_of(const std::vector<blob_ptr>& blobs) {
    uint64_t sum = 0;
    for (const auto& b : blobs) {
        sum += b->facts.raw_bytes;
    }
    return sum;
}

} // namespace

merger::merger(log_store& s) : _store(s), _block(zstd_level_merge) {}

void merger::start() {
    _timer.set_callback([this] { shard::run_in_background(_work, "merging blobs", [this] { return run_all(); }); });
    _timer.arm_periodic(_store._config.merge_every);
}

seastar::future<> merger::stop() {
    _is_stopping = true;
    _timer.cancel();
    return _work.close();
}

// Until nothing is left to do. A failure is logged; the timer comes again.
seastar::future<> merger::run_all() {
    if (_turn.available_units() == 0) {
        co_return;
    }
    co_await seastar::coroutine::switch_to(_store._config.merge_group);
    for (bool has_more = true; has_more && !_is_stopping;) {
        const auto done = co_await run_once();
        has_more = done && *done > 0;
        if (!done && done.error().code != base::errc::shutting_down) {
            logger.warn("blobs are not merged: {}", base::to_string(done.error()));
        }
    }
}

seastar::future<base::expected<size_t>> merger::run_once() {
    const auto hold = _work.try_hold();
    if (!hold || !_store._services) {
        co_return base::fail(base::errc::shutting_down);
    }
    const auto turn = co_await seastar::get_units(_turn, 1);
    auto groups = pick();
    if (groups.empty()) {
        co_return size_t{0};
    }
    co_return co_await round(std::move(groups));
}

// --- what to merge -----------------------------------------------------------------------------------------------------------

std::vector<merger::group> merger::pick() const {
    std::vector<group> found;
    for (const auto& [name, source] : _store._sources) {
        if (source->blobs.size() > 1) {
            add_groups(*source, found);
        }
    }
    if (!found.empty()) {
        std::erase_if(found, [manifest = manifest_of(found.front())](const group& g) { return manifest_of(g) != manifest; });
    }
    uint64_t bytes = 0;
    size_t count = 0;
    for (; count < found.size() && count < round_groups_max && bytes < round_raw_bytes_max; ++count) {
        bytes += raw_bytes_of(found[count]);
    }
    found.resize(count);
    return found;
}

void merger::add_groups(const log_source& source, std::vector<group>& found) const {
    const auto& config = _store._config;
    const auto settled_ns = config.now_ns ? config.now_ns() - std::chrono::nanoseconds(config.merge_after).count() : INT64_MIN;
    // A manifest of a former shard count lists no more than it did, so its blobs are merged among themselves.
    std::map<std::pair<shard::manifest*, base::tick>, group> by_period;
    for (const auto& b : source.blobs) {
        if (b->facts.raw_bytes < blob_raw_bytes_max / 2 && !_unreadable.contains(b->file->name())) {
            by_period[{&b->file->listed_in(), b->facts.identity.period_start}].push_back(b);
        }
    }
    for (auto& [place, blobs] : by_period) {
        const bool is_over = base::unix_ns(place.second) + period_ns <= settled_ns;
        if (blobs.size() < 2 || (!is_over && blobs.size() < config.merge_count)) {
            continue;
        }
        std::ranges::sort(blobs, {}, [](const blob_ptr& b) { return b->facts.identity.counter; });
        blobs.resize(std::min(blobs.size(), inputs_max));
        found.push_back(std::move(blobs));
    }
}

// --- merging -----------------------------------------------------------------------------------------------------------------

seastar::future<base::expected<size_t>> merger::round(std::vector<group> groups) {
    auto& to = *_store._services;
    auto files = co_await write(groups);
    if (!files) {
        co_return std::unexpected(files.error());
    }
    std::vector<blob_ptr> replaced;
    for (const auto& g : groups) {
        replaced.insert(replaced.end(), g.begin(), g.end());
    }
    auto merged = co_await _store._files.publish(to.disk, *manifest_of(groups.front()), *files, {}, replaced);
    if (!merged) {
        const auto code = merged.error().code;
        if (code == base::errc::out_of_space || code == base::errc::busy) {
            co_await blob_files::remove(to.disk, std::move(*files));
        }
        if (code == base::errc::busy && groups.size() > 1) { // with fewer groups fewer files change
            groups.resize(groups.size() / 2);
            co_return co_await round(std::move(groups));
        }
        co_return std::unexpected(merged.error());
    }
    for (const auto& b : replaced) {
        _store.remove_blob(b);
    }
    const auto now_ns = _store._config.now_ns ? _store._config.now_ns() : 0;
    for (const auto& g : groups) {
        for (size_t i = 1; i < g.size(); ++i) { // the first has the name of them all
            _store._replaced.add(blob_name(g[i]->facts.identity), blob_name(g.front()->facts.identity), now_ns);
        }
    }
    for (auto& b : *merged) {
        _store.add_blob(std::move(b));
    }
    for (const auto& f : *files) {
        _counters.bytes_total += f.bytes;
    }
    ++_counters.rounds_total;
    _counters.replaced_total += replaced.size();
    co_return replaced.size();
}

// On failure nothing is left of it.
seastar::future<base::expected<std::vector<written_file>>> merger::write(const std::vector<group>& groups) {
    auto& disk = _store._services->disk;
    std::vector<written_file> done;
    std::unique_ptr<blob_writer> shared, own;
    base::expected<void> outcome;
    try {
        for (size_t i = 0; i < groups.size() && outcome; ++i) {
            auto& writer = raw_bytes_of(groups[i]) >= _store._config.own_file_bytes ? own : shared;
            if (!writer) {
                writer = co_await blob_writer::create(disk, _store._files.next_id(*manifest_of(groups[i])).name);
            }
            outcome = co_await merge_into(*writer, groups[i]);
            if (outcome && (&writer == &own || writer->blobs_count() >= blob_directory::blobs_max)) {
                done.push_back(co_await writer->finish());
                writer = nullptr;
            }
        }
        if (outcome && shared) {
            done.push_back(co_await shared->finish());
            shared = nullptr;
        }
    } catch (const std::exception& e) {
        outcome = std::unexpected(shard::error_of(e, "merging blobs"));
    }
    for (auto* unfinished : {&own, &shared}) {
        if (*unfinished) {
            co_await (*unfinished)->discard();
        }
    }
    if (!outcome) {
        co_await blob_files::remove(disk, std::move(done));
        co_return std::unexpected(outcome.error());
    }
    co_return done;
}

seastar::future<base::expected<void>> merger::merge_into(blob_writer& writer, const group& inputs) {
    std::vector<open_blob_ptr> open;
    std::vector<const blob_view*> views;
    for (size_t i = 0; i < inputs.size(); ++i) {
        auto opened = co_await open_blob::open(inputs[i]);
        if (!opened) {
            set_aside({inputs[i]});
            co_return std::unexpected(opened.error());
        }
        views.push_back(&(*opened)->view());
        open.push_back(std::move(*opened));
    }
    blob_merge merge(views);
    writer.begin_blob(inputs.front()->facts.identity, raw_bytes_of(inputs), _block);
    while (!merge.is_done()) {
        if (_is_stopping) {
            co_return base::fail(base::errc::shutting_down);
        }
        if (const auto turn = merge.next()) {
            auto bytes = co_await open[turn->input]->read(turn->extent);
            auto good = bytes ? merge.bring(*turn, std::string(bytes->get(), bytes->size())) : std::unexpected(bytes.error());
            if (!good) {
                set_aside({inputs[turn->input]});
                co_return std::unexpected(about(inputs[turn->input]->facts, good.error()));
            }
        }
        auto stepped = merge.step(writer.builder());
        if (!stepped) {
            set_aside(inputs);
            co_return std::unexpected(stepped.error());
        }
        co_await writer.take_steps();
        co_await seastar::coroutine::maybe_yield();
    }
    co_await writer.end_blob();
    co_return base::expected<void>();
}

void merger::set_aside(const group& inputs) {
    for (const auto& b : inputs) {
        _unreadable.insert(b->file->name());
    }
}

} // namespace blobs

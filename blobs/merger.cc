#include "blobs/merger.hh"

#include <algorithm>
#include <map>
#include <memory>
#include <ranges>
#include <string_view>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>
#include <seastar/coroutine/switch_to.hh>

#include "blobs/core/blob_merge.hh"
#include "blobs/core/blob_name.hh"
#include "blobs/log_store.hh"
#include "blobs/logger.hh"
#include "shard/background.hh"
#include "shard/disk_error.hh"

namespace blobs {
namespace {

// Inputs of one merge: each has a decoded block in memory.
constexpr size_t inputs_max = 8;
static_assert(inputs_max <= merge_inputs_max);
// A blob that has this much, raw, is not merged any more.
constexpr uint64_t blob_raw_bytes_max = 256u << 20;
// Of one round, so that it ends soon and its edit is short.
constexpr uint64_t round_raw_bytes_max = 256u << 20;
constexpr size_t round_groups_max = 1'024;
constexpr size_t round_blobs_max = 8'192;
static_assert(inputs_max * blob_directory::blobs_target <= round_blobs_max);
// Files are written anew as a whole when one in so many of their blobs is to be merged.
constexpr size_t others_share_max = 4;

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

// The lowest name first.
void sort_by_counter(std::vector<blob_ptr>& blobs) {
    std::ranges::sort(blobs, {}, [](const blob_ptr& b) { return b->facts.identity.counter; });
}

// Files that are taken with all that lives in them, while that is not too much for a round.
class whole_files {
public:
    explicit whole_files(const blob_files& from) : _from(from) {}

    // Those of some blobs. False: that would be too much, and nothing was taken.
    bool add(const std::vector<blob_ptr>& blobs) {
        std::set<std::string> more;
        auto raw_bytes = _raw_bytes;
        auto count = _blobs_count;
        for (const auto& b : blobs) {
            const auto& name = b->file->name();
            if (!_names.contains(name) && more.insert(name).second) {
                raw_bytes += raw_bytes_of(_from.blobs_in(name));
                count += _from.blobs_in(name).size();
            }
        }
        if (raw_bytes > round_raw_bytes_max || count > round_blobs_max) {
            return false;
        }
        _names.merge(more);
        _raw_bytes = raw_bytes;
        _blobs_count = count;
        return true;
    }

    size_t blobs_count() const { return _blobs_count; }

    // All of it, by source and period.
    std::vector<std::vector<blob_ptr>> groups() const {
        std::map<std::pair<std::string_view, base::tick>, std::vector<blob_ptr>> by_period;
        for (const auto& name : _names) {
            for (const auto& b : _from.blobs_in(name)) {
                by_period[{b->facts.identity.source, b->facts.identity.period_start}].push_back(b);
            }
        }
        std::vector<std::vector<blob_ptr>> found;
        for (auto& [period, blobs] : by_period) {
            sort_by_counter(blobs);
            for (const auto& some : blobs | std::views::chunk(inputs_max)) {
                found.emplace_back(some.begin(), some.end());
            }
        }
        return found;
    }

private:
    const blob_files& _from;
    std::set<std::string> _names;
    uint64_t _raw_bytes = 0;
    size_t _blobs_count = 0;
};

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
    due_groups due;
    for (const auto& [name, source] : _store._sources) {
        if (source->blobs.size() > 1) {
            add_groups(*source, due);
        }
    }
    if (auto groups = of_whole_files(due.over); !groups.empty()) {
        return groups;
    }
    for (auto* some : {&due.over, &due.open}) {
        if (auto groups = those_that_fit(std::move(*some)); !groups.empty()) {
            return groups;
        }
    }
    return of_whole_files(in_sparse_files());
}

std::vector<merger::group> merger::in_sparse_files() const {
    std::vector<group> found;
    for (const auto& name : _store._files.sparse()) {
        if (!_unreadable.contains(name)) {
            found.push_back(_store._files.blobs_in(name));
        }
    }
    return found;
}

void merger::add_groups(const log_source& source, due_groups& due) const {
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
        sort_by_counter(blobs);
        blobs.resize(std::min(blobs.size(), inputs_max));
        (is_over ? due.over : due.open).push_back(std::move(blobs));
    }
}

// Some of the first of one manifest, and with them all else that lives in their files, so that these go and need not be listed
// again with less in them: of many small sources that would be long. Empty: it is too much, or most of it is something else.
std::vector<merger::group> merger::of_whole_files(const std::vector<group>& due) const {
    whole_files files(_store._files);
    size_t due_count = 0;
    for (const auto& g : due) {
        if (manifest_of(g) != manifest_of(due.front())) {
            continue;
        }
        if (!files.add(g)) {
            break;
        }
        due_count += g.size();
    }
    return due_count * others_share_max >= files.blobs_count() ? files.groups() : std::vector<group>();
}

// As many of the first of one manifest as an edit has room for what they leave in their files.
std::vector<merger::group> merger::those_that_fit(std::vector<group> due) const {
    if (due.empty()) {
        return due;
    }
    std::erase_if(due, [manifest = manifest_of(due.front())](const group& g) { return manifest_of(g) != manifest; });
    due.resize(std::min(due.size(), round_groups_max));
    for (size_t inputs = inputs_max; inputs > 1; inputs /= 2) { // of fewer files more is left in fewer lists
        leaving_blobs leaving(_store._files);
        uint64_t bytes = 0;
        size_t fitting = 0;
        for (size_t i = 0; i < due.size() && bytes < round_raw_bytes_max; ++i) {
            due[i].resize(std::min(due[i].size(), inputs));
            bytes += raw_bytes_of(due[i]);
            leaving.add(due[i]);
            fitting = leaving.fit() ? i + 1 : fitting;
        }
        if (fitting > 0) {
            due.resize(fitting);
            return due;
        }
    }
    return {};
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
            if (outcome && (&writer == &own || writer->is_full())) {
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

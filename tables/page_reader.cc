// Reads one page: asks the shards that can have rows for some, merges what they send in key order, asks again who has run dry.

#include <algorithm>
#include <iterator>
#include <set>

#include <seastar/core/coroutine.hh>
#include <seastar/core/sharded.hh>
#include <seastar/coroutine/as_future.hh>
#include <seastar/coroutine/parallel_for_each.hh>

#include "base/placement.hh"
#include "tables/shard_scan.hh"

namespace tables {
namespace {

// What a shard is asked for at the least, so that the end of a page does not go to and fro row by row.
constexpr size_t chunk_rows_min = 16;

using foreign_scan = seastar::foreign_ptr<std::unique_ptr<shard_scan>>;

// One shard's rows on their way into the page.
struct lane {
    foreign_scan scan;
    std::optional<row_batch_reader::iterator> head; // the next row
    std::optional<entity_key> resume{std::in_place}; // where the shard would go on; nothing: it has no more

    bool has_head() const { return head.has_value(); }
    bool is_dry() const { return !head && resume; }
    void advance() {
        if (++*head == std::default_sentinel) {
            head.reset();
        }
    }
};

std::set<unsigned> shards_of(const std::vector<key_range>& ranges, unsigned shards_count) {
    std::set<unsigned> shards;
    for (const auto& range : ranges) {
        if (const auto pk = range.only_partition()) {
            shards.insert(base::shard_of(*pk, shards_count));
            continue;
        }
        for (unsigned shard = 0; shard < shards_count; ++shard) {
            shards.insert(shard);
        }
    }
    return shards;
}

class page_reader {
public:
    page_reader(seastar::sharded<engine>& engines, scan_request request, unsigned shards_count)
        : _engines(engines), _request(std::move(request)), _shards(shards_of(_request.ranges, shards_count)) {}

    seastar::future<base::expected<scan_page>> read() {
        auto done = co_await seastar::coroutine::as_future(read_rows());
        co_await close_lanes();
        done.get(); // throws what went wrong, if anything did
        if (_error) {
            co_return std::unexpected(*_error);
        }
        co_return std::move(_page);
    }

private:
    seastar::future<> open_lanes() {
        co_await seastar::coroutine::parallel_for_each(_shards, [this](unsigned shard) -> seastar::future<> {
            auto opened = co_await _engines.invoke_on(shard, [this](engine& e) {
                return shard_scan::open(e, _request).transform([](auto scan) { return seastar::make_foreign(std::move(scan)); });
            });
            if (opened) {
                _lanes.push_back({.scan = std::move(*opened), .head = {}});
            } else {
                _error = opened.error();
            }
        });
    }

    seastar::future<> close_lanes() {
        co_await seastar::coroutine::parallel_for_each(_lanes, [](lane& l) { return l.scan.destroy(); });
    }

    seastar::future<> read_rows() {
        co_await open_lanes();
        while (!_error && _page.rows.size() < _request.rows_max && _bytes < page_bytes_max) {
            if (std::ranges::any_of(_lanes, &lane::is_dry)) {
                const bool is_late = !_page.rows.empty() && std::chrono::steady_clock::now() >= _request.deadline;
                if (!is_late) {
                    co_await fill_dry_lanes();
                }
                if (is_late || _error || std::ranges::any_of(_lanes, &lane::is_dry)) {
                    break; // time is up
                }
            }
            lane* first = first_lane();
            if (first == nullptr) {
                break; // that was all
            }
            take_from(*first);
        }
        _page.next = position();
    }

    seastar::future<> fill_dry_lanes() {
        const size_t missing = _request.rows_max - _page.rows.size();
        const size_t rows = _lanes.size() == 1 ? missing : std::max(chunk_rows_min, missing / _lanes.size() + 1);
        co_await seastar::coroutine::parallel_for_each(_lanes, [this, rows](lane& l) {
            return l.is_dry() ? fill(l, rows) : seastar::make_ready_future<>();
        });
    }

    seastar::future<> fill(lane& l, size_t rows) {
        auto chunk = co_await seastar::smp::submit_to(l.scan.get_owner_shard(), [scan = l.scan.get(), rows] { return scan->next(rows); });
        auto batch = chunk ? owned_rows::open(std::move(chunk->batch)) : std::unexpected(chunk.error());
        if (!batch) {
            _error = batch.error();
            co_return;
        }
        _page.rows_examined += chunk->rows_examined;
        _page.blocks_read += chunk->blocks_read;
        std::ranges::move(chunk->damage, std::back_inserter(_page.damage));
        _bytes += batch->rows().bytes().size();
        l.resume = std::move(chunk->resume);
        if (batch->rows().rows_count() > 0) {
            _page.batches.push_back(std::move(*batch));
            l.head = _page.batches.back().rows().begin();
        }
    }

    lane* first_lane() {
        lane* first = nullptr;
        for (auto& l : _lanes) {
            if (l.has_head() && (first == nullptr || key_of(l) < key_of(*first))) {
                first = &l;
            }
        }
        return first;
    }

    void take_from(lane& l) {
        _page.rows.push_back(**l.head);
        l.advance();
    }

    static std::pair<std::string_view, std::string_view> key_of(const lane& l) {
        return {(*l.head)->partition_key, (*l.head)->row_key};
    }

    // The least position that no shard has been asked about, or whose answer did not fit.
    std::optional<entity_key> position() const {
        std::optional<entity_key> least;
        for (const auto& l : _lanes) {
            std::optional<entity_key> at = l.resume;
            if (l.has_head()) {
                at = entity_key{std::string((*l.head)->partition_key), std::string((*l.head)->row_key)};
            }
            if (at && (!least || *at < *least)) {
                least = std::move(at);
            }
        }
        return least;
    }

    seastar::sharded<engine>& _engines;
    const scan_request _request;
    const std::set<unsigned> _shards;
    std::vector<lane> _lanes;
    scan_page _page;
    size_t _bytes = 0;
    std::optional<base::error> _error;
};

} // namespace

seastar::future<base::expected<scan_page>> read_page(seastar::sharded<engine>& engines, scan_request request, unsigned shards_count) {
    page_reader reader(engines, std::move(request), shards_count);
    co_return co_await reader.read();
}

} // namespace tables

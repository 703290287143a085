// Reads one page: where one shard has all its rows, there; else asks those that can have some, merges what they send in key
// order, and asks again who has run dry.

#include <algorithm>
#include <iterator>
#include <set>

#include <seastar/core/coroutine.hh>
#include <seastar/core/sharded.hh>
#include <seastar/coroutine/as_future.hh>
#include <seastar/coroutine/parallel_for_each.hh>

#include "tables/shard_scan.hh"

namespace tables {
namespace {

// What a shard is asked for at the least, so that the end of a page does not go to and fro row by row.
constexpr size_t chunk_rows_min = 16;

using foreign_scan = seastar::foreign_ptr<std::unique_ptr<shard_scan>>;

// One shard's rows on their way into the page.
struct lane {
    foreign_scan scan;
    std::optional<row_batch_reader::iterator> head;  // the next row
    std::optional<entity_key> resume{std::in_place}; // where the shard would go on; nothing: it has no more

    bool has_head() const { return head.has_value(); }
    bool is_dry() const { return !head && resume; }
    void advance() {
        if (++*head == std::default_sentinel) {
            head.reset();
        }
    }
};

std::set<unsigned> shards_of(const engine& e, const std::vector<key_range>& ranges, unsigned shards_count) {
    std::set<unsigned> shards;
    for (const auto& range : ranges) {
        if (const auto pk = range.only_partition()) {
            shards.insert(e.owner_of(*pk));
            continue;
        }
        for (unsigned shard = 0; shard < shards_count; ++shard) {
            shards.insert(shard);
        }
    }
    return shards;
}

// All but the rows themselves, which are looked at one by one; how many there are.
size_t take_chunk(scan_chunk chunk, scan_page& page) {
    page.rows_examined += chunk.rows_examined;
    page.blocks_read += chunk.blocks_read;
    std::ranges::move(chunk.damage, std::back_inserter(page.damage));
    if (chunk.rows_count > 0) {
        page.batches.push_back(owned_rows::of_built(std::move(chunk.batch)));
    }
    return chunk.rows_count;
}

class page_reader {
public:
    page_reader(seastar::sharded<engine>& engines, scan_request request, unsigned shards_count)
        : _engines(engines), _request(std::move(request)), _shards(shards_of(engines.local(), _request.ranges, shards_count)) {}

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
        const size_t rows = std::max(chunk_rows_min, missing / _lanes.size() + 1);
        co_await seastar::coroutine::parallel_for_each(
            _lanes, [this, rows](lane& l) { return l.is_dry() ? fill(l, rows) : seastar::make_ready_future<>(); });
    }

    seastar::future<> fill(lane& l, size_t rows) {
        auto chunk =
            co_await seastar::smp::submit_to(l.scan.get_owner_shard(), [scan = l.scan.get(), rows] { return scan->next(rows); });
        if (!chunk) {
            _error = chunk.error();
            co_return;
        }
        _bytes += chunk->batch.size();
        l.resume = std::move(chunk->resume);
        if (take_chunk(std::move(*chunk), _page) > 0) {
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

// A whole page, on the shard that has all its rows.
static seastar::future<base::expected<std::vector<scan_chunk>>> read_chunks(engine& e, const scan_request& request) {
    auto scan = shard_scan::open(e, request);
    if (!scan) {
        co_return std::unexpected(scan.error());
    }
    std::vector<scan_chunk> chunks;
    size_t rows = 0;
    size_t bytes = 0;
    const auto has_more = [&] {
        return chunks.empty() || (chunks.back().resume && chunks.back().rows_count > 0);
    }; // or time is up
    while (rows < request.rows_max && bytes < page_bytes_max && has_more()) {
        if (rows > 0 && std::chrono::steady_clock::now() >= request.deadline) {
            break;
        }
        auto chunk = co_await (*scan)->next(request.rows_max - rows);
        if (!chunk) {
            co_return std::unexpected(chunk.error());
        }
        rows += chunk->rows_count;
        bytes += chunk->batch.size();
        chunks.push_back(std::move(*chunk));
    }
    co_return chunks;
}

// One way there and back; nothing to put in order.
static seastar::future<base::expected<scan_page>> read_page_of(seastar::sharded<engine>& engines, unsigned shard,
                                                               scan_request request) {
    auto chunks = co_await engines.invoke_on(shard, [&request](engine& e) { return read_chunks(e, request); });
    if (!chunks) {
        co_return std::unexpected(chunks.error());
    }
    scan_page page;
    page.next = chunks->empty() ? std::nullopt : std::move(chunks->back().resume);
    for (auto& chunk : *chunks) {
        if (const auto rows = take_chunk(std::move(chunk), page); rows > 0) {
            page.rows.reserve(page.rows.size() + rows);
            std::ranges::copy(page.batches.back().rows(), std::back_inserter(page.rows));
        }
    }
    co_return page;
}

// The shard, when there is but one that can have rows.
static std::optional<unsigned> only_shard(const engine& e, const std::vector<key_range>& ranges, unsigned shards_count) {
    if (shards_count == 1) {
        return 0;
    }
    std::optional<unsigned> only;
    for (const auto& range : ranges) {
        const auto pk = range.only_partition();
        const auto shard = pk ? std::optional(e.owner_of(*pk)) : std::nullopt;
        if (!shard || (only && *only != *shard)) {
            return std::nullopt;
        }
        only = shard;
    }
    return only;
}

seastar::future<base::expected<scan_page>> read_page(seastar::sharded<engine>& engines, scan_request request,
                                                     unsigned shards_count) {
    if (const auto shard = only_shard(engines.local(), request.ranges, shards_count)) {
        co_return co_await read_page_of(engines, *shard, std::move(request));
    }
    page_reader reader(engines, std::move(request), shards_count);
    co_return co_await reader.read();
}

} // namespace tables

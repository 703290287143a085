#include "tables/partition_lister.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

namespace tables {
namespace {

// Between looks at others who want the core.
constexpr size_t partitions_per_step = 256;

} // namespace

partition_lister::partition_lister(const read_view& view, std::string_view from, damage_list* passed)
    : _from(from), _passed(passed) {
    for (const auto& m : view.memtables) {
        _memtables.emplace_back(*m, from);
    }
    for (const auto& s : view.segments) {
        _segments.push_back({.from = s, .page_number = s->view().locate_page(from).value_or(0)});
    }
}

void partition_lister::segment_source::step() {
    if (++index == page->partitions().size()) {
        page = nullptr;
        ++page_number;
    }
}

void partition_lister::settle(segment_source& s) {
    while (s.page && !s.from->is_ours(s.key())) {
        s.step();
    }
}

seastar::future<base::expected<void>> partition_lister::load_pages() {
    for (auto& s : _segments) {
        while (!s.page && !s.is_end()) {
            auto page = co_await s.from->page(s.page_number);
            if (!page && _passed != nullptr && is_damage(page.error())) {
                _passed->push_back(s.from->lost_page(s.page_number++, std::move(page.error())));
                continue;
            }
            if (!page) {
                co_return std::unexpected(page.error());
            }
            s.page = std::move(*page);
            s.index = s.page->partitions().lower_bound(_from);
            if (s.index == s.page->partitions().size()) {
                s.page = nullptr;
                ++s.page_number;
            } else {
                settle(s);
            }
        }
    }
    co_return base::expected<void>();
}

std::optional<std::string_view> partition_lister::least() const {
    std::optional<std::string_view> key;
    for (const auto& m : _memtables) {
        if (!m.is_end() && (!key || m.key() < *key)) {
            key = m.key();
        }
    }
    for (const auto& s : _segments) {
        if (s.page && (!key || s.key() < *key)) {
            key = s.key();
        }
    }
    return key;
}

partition_span partition_lister::take(std::string key) {
    partition_span span{std::move(key), base::tick{0}, base::tick_max};
    const auto widen = [&](std::optional<base::tick> newest, std::optional<base::tick> oldest) {
        span.newest = std::max(span.newest, newest.value_or(base::tick_max));
        span.oldest = std::min(span.oldest, oldest.value_or(base::tick{0}));
    };
    for (auto& m : _memtables) {
        if (!m.is_end() && m.key() == span.key) {
            widen(m.newest(), m.oldest());
            m.next();
        }
    }
    for (auto& s : _segments) {
        if (s.page && s.key() == span.key) {
            const auto partition = s.page->partitions()[s.index];
            widen(partition.newest, partition.oldest);
            s.step();
            settle(s);
        }
    }
    return span;
}

seastar::future<base::expected<std::vector<partition_span>>> partition_lister::next(size_t count_max) {
    std::vector<partition_span> found;
    while (found.size() < count_max) {
        if (auto loaded = co_await load_pages(); !loaded) {
            co_return std::unexpected(loaded.error());
        }
        // As far as the pages at hand go.
        const auto is_missing = [](const segment_source& s) { return !s.page && !s.is_end(); };
        while (found.size() < count_max && !std::ranges::any_of(_segments, is_missing)) {
            const auto key = least();
            if (!key) {
                co_return found;
            }
            found.push_back(take(std::string(*key)));
            if (found.size() % partitions_per_step == 0) {
                co_await seastar::coroutine::maybe_yield();
            }
        }
    }
    co_return found;
}

} // namespace tables

#include "blobs/blob_listing.hh"

#include <algorithm>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/map_reduce.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "blobs/core/blob_name.hh"

namespace blobs {
namespace {

blob_info info_of(const std::string& name, const stored_blob& b) {
    return {.name = name,
            .source = b.identity.source,
            .shard = seastar::this_shard_id(),
            .first_ns = b.first_ns,
            .last_ns = b.last_ns,
            .records_count = b.records_count,
            .raw_bytes = b.raw_bytes,
            .stored_bytes = b.extent.size};
}

// Beside the blobs of its period, under a name no blob has.
blob_info info_of(const log_source& source, period_number period, record_buffer& records, std::string_view state) {
    records.sort();
    const auto facts = records.facts();
    auto name = blob_name({source.name, period_start(period), 0});
    name.resize(name.rfind('/') + 1);
    return {.name = fmt::format("{}{}.{}", name, state, seastar::this_shard_id()),
            .source = source.name,
            .shard = seastar::this_shard_id(),
            .first_ns = facts.first_ns,
            .last_ns = facts.last_ns,
            .records_count = records.size(),
            .raw_bytes = records.raw_bytes(),
            .stored_bytes = records.memory_bytes(),
            .is_open = true};
}

bool is_asked_for(std::string_view name, std::string_view prefix, std::string_view after) {
    return name.starts_with(prefix) && name > after;
}

std::vector<blob_info> list_here(const log_store& store, const std::string& prefix, const std::string& after, size_t count,
                                 open_buffers buffers) {
    std::vector<blob_info> found;
    for (auto at = store.blobs_by_name().lower_bound(std::max(prefix, after)); at != store.blobs_by_name().end(); ++at) {
        if (found.size() == count || !at->first.starts_with(prefix)) {
            break;
        }
        if (at->first > after) {
            found.push_back(info_of(at->first, at->second->facts));
        }
    }
    if (buffers == open_buffers::hidden) {
        return found;
    }
    for (const auto& [name, source] : store.sources()) {
        const auto add = [&](const std::map<period_number, buffer_ptr>& of, std::string_view state) {
            for (const auto& [period, records] : of) {
                if (auto info = info_of(*source, period, *records, state); is_asked_for(info.name, prefix, after)) {
                    found.push_back(std::move(info));
                }
            }
        };
        add(source->open, "open");
        add(source->frozen, "sealing");
    }
    std::ranges::sort(found, {}, &blob_info::name);
    found.resize(std::min(found.size(), count));
    return found;
}

template <class Info>
std::vector<Info> joined(std::vector<Info> a, std::vector<Info> b) {
    a.insert(a.end(), std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()));
    return a;
}

// What is enough to know a blob again: a merge gives its result the name of one of its parts, and more text than any of them had.
struct text_position {
    std::string name;
    uint64_t raw_bytes = 0;
    uint64_t at = 0;
};

seastar::future<base::expected<std::string>> read_here(log_store& store, text_position wanted) {
    const auto hold = store.work().try_hold();
    const auto blob = store.find_blob_here(wanted.name);
    if (!hold || !blob) {
        co_return base::fail(base::errc::entity_not_found, fmt::format("there is no blob '{}'", wanted.name));
    }
    if (blob->facts.raw_bytes != wanted.raw_bytes) {
        co_return base::fail(base::errc::entity_not_found,
                             fmt::format("blob '{}' was merged with others meanwhile", wanted.name));
    }
    const auto from = wanted.at;
    auto opened = co_await store.open_blobs().open(blob);
    if (!opened) {
        co_return std::unexpected(opened.error());
    }
    const auto& view = (*opened)->view();
    const auto block = view.block_at(from);
    if (!block) {
        co_return std::string();
    }
    auto bytes = co_await (*opened)->read(view.blocks()[*block].extent);
    if (!bytes) {
        co_return std::unexpected(bytes.error());
    }
    auto reader = co_await store.open_blobs().lend_reader();
    std::string text;
    auto read = view.open_block(*block, {bytes->get(), bytes->size()}, *reader);
    if (read) {
        read = (*reader).read_raw(text);
    }
    if (!read) {
        co_return std::unexpected(about(blob->facts, read.error()));
    }
    text.erase(0, from - view.blocks()[*block].raw_offset);
    co_return text;
}

seastar::future<base::expected<text_frame>> frame_here(log_store& store, text_position wanted) {
    const auto text = co_await read_here(store, std::move(wanted));
    if (!text) {
        co_return std::unexpected(text.error());
    }
    co_await seastar::coroutine::maybe_yield();
    text_frame made{.bytes = {}, .raw_bytes = text->size()};
    if (!text->empty()) {
        store.open_blobs().text_compressor().frame(*text, made.bytes);
    }
    co_return made;
}

void add(source_info& to, const source_info& more) {
    to.records_count += more.records_count;
    to.raw_bytes += more.raw_bytes;
    to.stored_bytes += more.stored_bytes;
    to.blobs_count += more.blobs_count;
    to.first_ns = std::min(to.first_ns, more.first_ns);
    to.last_ns = std::max(to.last_ns, more.last_ns);
}

source_info sum_of(const log_source& source) {
    source_info sum{.name = source.name};
    for (const auto& b : source.blobs) {
        const auto& f = b->facts;
        add(sum, {{}, f.records_count, f.raw_bytes, f.extent.size, 1, f.first_ns, f.last_ns});
    }
    for (const auto* buffers : {&source.open, &source.frozen}) {
        for (const auto& [period, records] : *buffers) {
            records->sort();
            const auto facts = records->facts();
            add(sum, {{}, records->size(), records->raw_bytes(), 0, 0, facts.first_ns, facts.last_ns});
        }
    }
    return sum;
}

std::vector<source_info> sources_here(const log_store& store, const std::string& after, size_t count) {
    std::vector<source_info> found;
    for (auto at = store.sources().upper_bound(after); at != store.sources().end() && found.size() < count; ++at) {
        // Those that were only named, or that another shard has, have nothing here.
        if (auto sum = sum_of(*at->second); sum.records_count > 0) {
            found.push_back(std::move(sum));
        }
    }
    return found;
}

} // namespace

seastar::future<std::vector<blob_info>> list_blobs(seastar::sharded<log_store>& stores, std::string prefix, std::string after,
                                                   size_t count, open_buffers buffers) {
    auto found = co_await stores.map_reduce0(
        [prefix, after, count, buffers](const log_store& store) { return list_here(store, prefix, after, count, buffers); },
        std::vector<blob_info>(), joined<blob_info>);
    std::ranges::sort(found, {}, &blob_info::name);
    found.resize(std::min(found.size(), count));
    co_return found;
}

seastar::future<base::expected<blob_info>> find_blob(seastar::sharded<log_store>& stores, std::string name) {
    auto found = co_await stores.map_reduce0(
        [name](const log_store& store) {
            std::vector<blob_info> one;
            if (const auto blob = store.find_blob_here(name)) {
                one.push_back(info_of(blob_name(blob->facts.identity), blob->facts));
            }
            return one;
        },
        std::vector<blob_info>(), joined<blob_info>);
    if (found.empty()) {
        co_return base::fail(base::errc::entity_not_found, fmt::format("there is no blob '{}'", name));
    }
    co_return std::move(found.front());
}

seastar::future<base::expected<std::string>> read_text(seastar::sharded<log_store>& stores, const blob_info& blob,
                                                       uint64_t from) {
    return stores.invoke_on(blob.shard, [wanted = text_position{blob.name, blob.raw_bytes, from}](log_store& store) {
        return read_here(store, wanted);
    });
}

seastar::future<base::expected<text_frame>> read_frame(seastar::sharded<log_store>& stores, const blob_info& blob,
                                                       uint64_t from) {
    return stores.invoke_on(blob.shard, [wanted = text_position{blob.name, blob.raw_bytes, from}](log_store& store) {
        return frame_here(store, wanted);
    });
}

seastar::future<std::vector<source_info>> list_sources(seastar::sharded<log_store>& stores, std::string after, size_t count) {
    auto all = co_await stores.map_reduce0([after, count](const log_store& store) { return sources_here(store, after, count); },
                                           std::vector<source_info>(), joined<source_info>);
    std::ranges::stable_sort(all, {}, &source_info::name);
    std::vector<source_info> found;
    for (auto& one : all) {
        if (!found.empty() && found.back().name == one.name) {
            add(found.back(), one);
        } else if (found.size() < count) {
            found.push_back(std::move(one));
        } else {
            break;
        }
    }
    co_return found;
}

} // namespace blobs

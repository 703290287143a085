#include "tables/segment.hh"

#include <algorithm>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

namespace tables {
namespace {

// Filters of neighbours. The checksum of each was looked at when they came from the disk.
class cached_filters final : public cached_part {
public:
    cached_filters(seastar::temporary_buffer<char> b, uint64_t offset, std::vector<size_t> damaged)
        : _sealed(std::move(b)), _offset(offset), _damaged(std::move(damaged)) {}
    size_t bytes() const override { return sizeof *this + _sealed.size(); }

    // Of a block; nothing when it is damaged.
    std::optional<key_filter> find(size_t block, file_extent extent) const {
        if (std::ranges::contains(_damaged, block)) {
            return std::nullopt;
        }
        return key_filter({_sealed.get() + (extent.offset - _offset), extent.size - segment_layout::checksum_bytes});
    }

private:
    const seastar::temporary_buffer<char> _sealed;
    const uint64_t _offset;
    const std::vector<size_t> _damaged; // blocks
};

std::string_view view_of(const seastar::temporary_buffer<char>& bytes) {
    return {bytes.get(), bytes.size()};
}

} // namespace

segment::segment(block_cache& cache, codec::zstd_decompressor& zstd, segment_file_ptr file, stored_segment place,
                 segment_view view)
    : _cache(cache), _zstd(zstd), _file(std::move(file)), _place(place), _view(std::move(view)), _number(cache.next_segment()),
      _slots(_view.facts().slots) {}

seastar::future<base::expected<segment_ptr>> segment::open(block_cache& cache, codec::zstd_decompressor& zstd,
                                                           segment_file_ptr file, stored_segment place) {
    const auto fail_here = [&](const base::error& e) {
        return base::fail(e.code, fmt::format("{}, table {}: {}", file->path(), place.table.value, e.detail));
    };
    if (place.extent.size < segment_layout::trailer_bytes) {
        co_return fail_here({base::errc::corrupt, "too short for a segment"});
    }
    const auto end = co_await file->read({place.extent.end() - segment_layout::trailer_bytes, segment_layout::trailer_bytes});
    if (!end) {
        co_return std::unexpected(end.error());
    }
    const auto trailer = segment_trailer::parse(view_of(*end), place.extent.size);
    if (!trailer) {
        co_return fail_here(trailer.error());
    }
    const auto footer = co_await file->read({place.extent.offset + trailer->footer.offset, trailer->footer.size});
    if (!footer) {
        co_return std::unexpected(footer.error());
    }
    auto view = segment_view::open(*trailer, view_of(*footer));
    if (!view) {
        co_return fail_here(view.error());
    }
    co_return seastar::make_lw_shared<segment>(cache, zstd, std::move(file), place, std::move(*view));
}

base::error segment::with_place(base::error e, file_extent extent) const {
    const auto at = in_file(extent);
    return {e.code, fmt::format("{}, bytes {} to {}: {}", _file->path(), at.offset, at.end(), e.detail)};
}

damaged_keys segment::lost_block(size_t i, base::error why) const {
    const auto info = _view.block(i);
    const entity_key first{std::string(info.first_partition_key), std::string(info.first_row_key)};
    const entity_key last{std::string(info.last_partition_key), std::string(info.last_row_key)};
    const bool has_times = info.text_keys_count == 0;
    return {std::move(why),
            {first, last.successor()},
            has_times ? info.newest : std::nullopt,
            has_times ? info.oldest : std::nullopt};
}

damaged_keys segment::lost_page(size_t i, base::error why) const {
    key_range keys{{std::string(_view.page(i).first_partition_key), {}}, {}};
    if (i + 1 < _view.pages_count()) {
        keys.before = entity_key{std::string(_view.page(i + 1).first_partition_key), {}};
    }
    return {std::move(why), std::move(keys), {}, {}};
}

seastar::future<base::expected<cached_ptr>> segment::load_block(size_t i) {
    const auto extent = _view.block(i).extent;
    const auto bytes = co_await _file->read(in_file(extent));
    if (!bytes) {
        co_return std::unexpected(bytes.error());
    }
    auto decoded = decoded_block::decode(_view, i, view_of(*bytes), _zstd);
    if (!decoded) {
        co_return std::unexpected(with_place(decoded.error(), extent));
    }
    co_return seastar::make_shared<cached_block>(std::move(*decoded));
}

block_ptr segment::block_at_hand(size_t i) {
    return seastar::static_pointer_cast<cached_block>(_cache.find({_number, _view.block(i).extent.offset}));
}

seastar::future<base::expected<block_ptr>> segment::block(size_t i) {
    if (auto block = block_at_hand(i)) {
        co_return block;
    }
    const auto part = co_await _cache.get({_number, _view.block(i).extent.offset}, [this, i] { return load_block(i); });
    co_return part.transform([](const cached_ptr& p) { return seastar::static_pointer_cast<cached_block>(p); });
}

seastar::future<base::expected<cached_ptr>> segment::load_page(size_t i) {
    const auto extent = _view.page(i).extent;
    const auto bytes = co_await _file->read(in_file(extent));
    if (!bytes) {
        co_return std::unexpected(bytes.error());
    }
    auto decoded = decoded_page::decode(_view, i, view_of(*bytes), _zstd);
    if (!decoded) {
        co_return std::unexpected(with_place(decoded.error(), extent));
    }
    co_return seastar::make_shared<cached_page>(std::move(*decoded));
}

seastar::future<base::expected<cached_ptr>> segment::load_columns(size_t i, std::vector<column_id> wanted) {
    const auto extent = _view.block(i).extent;
    const auto bytes = co_await _file->read(in_file(extent));
    if (!bytes) {
        co_return std::unexpected(bytes.error());
    }
    auto decoded = block_columns::decode(_view, i, view_of(*bytes), wanted, _zstd);
    if (!decoded) {
        co_return std::unexpected(with_place(decoded.error(), extent));
    }
    co_return seastar::make_shared<cached_columns>(std::move(*decoded));
}

seastar::future<base::expected<columns_ptr>> segment::columns(size_t i, std::vector<column_id> wanted) {
    // Beside the rows of the block; no part begins one byte behind another.
    const cache_key key{_number, _view.block(i).extent.offset + 1};
    while (true) {
        const auto part = co_await _cache.get(key, [this, i, &wanted] { return load_columns(i, wanted); });
        if (!part) {
            co_return std::unexpected(part.error());
        }
        auto found = seastar::static_pointer_cast<cached_columns>(*part);
        const auto& columns = found->columns();
        if (std::ranges::all_of(wanted, [&](column_id id) { return columns.knows(id); })) {
            co_return found;
        }
        // Somebody wanted others before: now those and these.
        for (const auto id : columns.column_ids()) {
            if (!std::ranges::contains(wanted, id)) {
                wanted.push_back(id);
            }
        }
        _cache.forget(key);
    }
}

page_ptr segment::page_at_hand(size_t i) {
    return seastar::static_pointer_cast<cached_page>(_cache.find({_number, _view.page(i).extent.offset}));
}

seastar::future<base::expected<page_ptr>> segment::page(size_t i) {
    if (auto page = page_at_hand(i)) {
        co_return page;
    }
    const auto part = co_await _cache.get({_number, _view.page(i).extent.offset}, [this, i] { return load_page(i); });
    co_return part.transform([](const cached_ptr& p) { return seastar::static_pointer_cast<cached_page>(p); });
}

seastar::future<base::expected<cached_ptr>> segment::load_filters(segment_view::filter_group group) {
    auto bytes = co_await _file->read(in_file(group.extent));
    if (!bytes) {
        co_return std::unexpected(bytes.error());
    }
    std::vector<size_t> damaged;
    for (size_t i = group.begin; i < group.end; ++i) {
        const auto extent = _view.filter_extent(i);
        if (extent.size != 0 && !_view.open_filter(i, view_of(*bytes).substr(extent.offset - group.extent.offset, extent.size))) {
            damaged.push_back(i);
        }
    }
    co_return seastar::make_shared<cached_filters>(std::move(*bytes), group.extent.offset, std::move(damaged));
}

seastar::future<bool> segment::may_have(size_t i, std::string_view partition_key, std::string_view row_key) {
    const auto extent = _view.filter_extent(i);
    if (extent.size == 0) {
        co_return true;
    }
    const auto group = _view.filters_around(i);
    const cache_key key{_number, group.extent.offset};
    auto part = _cache.find(key);
    if (!part) {
        part = (co_await _cache.get(key, [this, group] { return load_filters(group); })).value_or(nullptr);
    }
    // What cannot be read rules nothing out.
    const auto filter = part ? static_cast<const cached_filters&>(*part).find(i, extent) : std::nullopt;
    co_return !filter || filter->may_have_row(partition_key, row_key);
}

// --- verifying -------------------------------------------------------------------------------------------------------------

seastar::future<> segment::verify_part(shard::scrub& pass, file_extent extent, part_check check) {
    if (extent.size == 0 || !co_await pass.admit(extent.size)) {
        co_return;
    }
    const auto bytes = co_await _file->read(in_file(extent));
    if (!bytes) {
        pass.found(base::to_string(bytes.error()));
    } else if (auto good = check(view_of(*bytes)); !good) {
        pass.found(base::to_string(with_place(good.error(), extent)));
    }
}

seastar::future<> segment::verify(shard::scrub& pass) {
    // The footer is in memory; this looks at the one on the disk.
    if (auto again = co_await open(_cache, _zstd, _file, _place); !again) {
        pass.found(base::to_string(again.error()));
    }
    const auto nothing = [](const auto&) {};
    for (size_t i = 0; i < _view.blocks_count() && !pass.is_given_up(); ++i) {
        co_await verify_part(pass, _view.block(i).extent,
                             [&](std::string_view b) { return _view.open_block(i, b).transform(nothing); });
        co_await verify_part(pass, _view.filter_extent(i),
                             [&](std::string_view b) { return _view.open_filter(i, b).transform(nothing); });
    }
    for (size_t i = 0; i < _view.pages_count() && !pass.is_given_up(); ++i) {
        co_await verify_part(pass, _view.page(i).extent,
                             [&](std::string_view b) { return _view.open_page(i, b, _zstd).transform(nothing); });
    }
    pass.end_file();
}

} // namespace tables

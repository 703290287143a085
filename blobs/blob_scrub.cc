// Verifying the blobs of one shard on the disk.

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "blobs/log_store.hh"

namespace blobs {
namespace {

class blob_scrub {
public:
    explicit blob_scrub(shard::scrub& pass) : _pass(pass) {}

    // Past the cache: with its file and footer read anew.
    seastar::future<> run(blob_ptr blob) {
        const auto opened = co_await open_blob::open(std::move(blob));
        if (!opened) {
            _pass.found(base::to_string(opened.error()));
            co_return;
        }
        const auto& view = (*opened)->view();
        for (size_t i = 0; i < view.blocks().size() && !_pass.is_given_up(); ++i) {
            co_await verify(*opened, view.blocks()[i].extent, [&](std::string_view b) { return view.open_block(i, b, _reader); });
        }
        for (size_t i = 0; i < view.footer().slices.size() && !_pass.is_given_up(); ++i) {
            co_await verify(*opened, view.footer().slices[i], [&](std::string_view b) { return view.check_slice(i, b); });
        }
        _pass.end_file();
    }

private:
    using part_check = std::function<base::expected<void>(std::string_view)>;

    seastar::future<> verify(open_blob_ptr blob, blob_extent extent, part_check check) {
        if (extent.size == 0 || !co_await _pass.admit(extent.size)) {
            co_return;
        }
        const auto bytes = co_await blob->read(extent);
        if (!bytes) {
            _pass.found(base::to_string(bytes.error()));
        } else if (auto good = check({bytes->get(), bytes->size()}); !good) {
            const auto place = fmt::format("bytes {} to {}: {}", extent.offset, extent.end(), good.error().detail);
            _pass.found(base::to_string(about(blob->facts(), {good.error().code, place})));
        }
    }

    shard::scrub& _pass;
    block_reader _reader;
};

} // namespace

seastar::future<> log_store::scrub_here(shard::scrub& pass) {
    const auto hold = _work.try_hold();
    if (!hold) {
        co_return;
    }
    std::vector<std::string> names; // only those: whoever holds a blob keeps its file, and a pass may take days
    for (const auto& [name, blob] : _by_name) {
        names.push_back(name);
    }
    blob_scrub one(pass);
    while (!names.empty() && !pass.is_given_up() && !_work.is_closed()) {
        if (const auto found = _by_name.find(names.back()); found != _by_name.end()) {
            co_await one.run(found->second);
        }
        names.pop_back();
    }
}

} // namespace blobs

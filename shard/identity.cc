#include "shard/identity.hh"

#include <optional>
#include <random>

#include <seastar/core/coroutine.hh>

#include "shard/disk_error.hh"

namespace shard {
namespace {

constexpr size_t identity_bytes_max = 4096;

seastar::future<base::expected<identity>> read_copy(disk& d, std::string path) {
    co_return decode_identity(co_await read_whole(d, std::move(path), identity_bytes_max));
}

identity make_identity(base::tick now) {
    std::random_device random;
    return {.store = (static_cast<uint64_t>(random()) << 32) | random(), .created = now};
}

// What the copies say together; nothing when there is none at all.
seastar::future<base::expected<std::optional<identity>>> read_copies(disk& d) {
    std::optional<identity> found;
    std::optional<base::error> damage;
    for (const auto& path : identity_paths) {
        if (!co_await d.exists(path)) {
            continue;
        }
        auto copy = co_await read_copy(d, path);
        if (copy) {
            found = *copy;
        } else if (copy.error().code == base::errc::newer_format) {
            co_return std::unexpected(copy.error());
        } else {
            damage = copy.error();
        }
    }
    if (!found && damage) {
        co_return std::unexpected(*damage);
    }
    co_return found;
}

seastar::future<base::expected<identity>> open(disk& d, base::tick now) {
    auto known = co_await read_copies(d);
    if (!known) {
        co_return std::unexpected(known.error());
    }
    const identity who = *known ? **known : make_identity(now);
    for (const auto& path : identity_paths) {
        const bool is_good = *known && co_await d.exists(path) && (co_await read_copy(d, path)).has_value();
        if (!is_good) {
            co_await replace_whole(d, path, encode(who));
        }
    }
    co_return who;
}

} // namespace

seastar::future<base::expected<identity>> open_identity(disk& d, base::tick now) {
    try {
        co_return co_await open(d, now);
    } catch (const std::system_error& e) {
        co_return std::unexpected(to_error(e));
    }
}

} // namespace shard

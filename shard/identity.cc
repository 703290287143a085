#include "shard/identity.hh"

#include <optional>
#include <random>
#include <system_error>

#include <seastar/core/coroutine.hh>

#include "shard/disk_error.hh"

namespace shard {
namespace {

constexpr size_t identity_bytes_max = 4096;

// A copy that the disk cannot read is as good as a damaged one: the other may be whole.
seastar::future<base::expected<identity>> read_copy(disk& d, std::string path) {
    try {
        co_return decode_identity(co_await read_whole(d, path, identity_bytes_max));
    } catch (const std::system_error& e) {
        co_return std::unexpected(error_of(e, path));
    }
}

identity make_identity(base::tick now) {
    std::random_device random;
    return {.store = (static_cast<uint64_t>(random()) << 32) | random(), .created = now};
}

// What the copies say together; nothing when there is none at all.
seastar::future<base::expected<std::optional<identity>>> read_identity_copies(disk& d) {
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

// Writes the copies that are not there or do not pass. Needs space for a moment, so it may fail on a full disk.
seastar::future<> write_missing_copies(disk& d, identity who) {
    for (const auto& path : identity_paths) {
        const bool is_good = co_await d.exists(path) && (co_await read_copy(d, path)).has_value();
        if (!is_good) {
            co_await replace_whole(d, path, encode(who));
        }
    }
}

} // namespace

seastar::future<base::expected<identity>> open_identity(disk& d, base::tick now) {
    std::optional<identity> known;
    try {
        auto found = co_await read_identity_copies(d);
        if (!found) {
            co_return std::unexpected(std::move(found.error()));
        }
        known = *found;
        const auto who = known ? *known : make_identity(now);
        co_await write_missing_copies(d, who);
        co_return who;
    } catch (const std::system_error& e) {
        if (known) {
            co_return *known; // one copy is enough to start with; the other is tried again next time
        }
        co_return std::unexpected(error_of(e, "the identity of the store"));
    }
}

} // namespace shard

#include "shard/disk_error.hh"

#include <cerrno>
#include <new>
#include <system_error>

#include <fmt/format.h>

namespace shard {

base::error error_of(const std::exception& e, std::string_view what) {
    auto code = base::errc::io_error;
    if (const auto* failure = dynamic_cast<const std::system_error*>(&e)) {
        const auto number = failure->code().value();
        code = number == ENOSPC || number == EDQUOT ? base::errc::out_of_space : code;
    } else if (dynamic_cast<const std::bad_alloc*>(&e) != nullptr) {
        code = base::errc::busy; // the disk has nothing to do with it
    }
    return {code, fmt::format("{}: {}", what, e.what())};
}

} // namespace shard

// A transaction that is none: part of the build with planted bugs, and of no other.
#pragma once

#include "tables/engine.hh"

namespace tables {

seastar::future<commit_outcome> commit_one_by_one(engine&, transaction);

} // namespace tables

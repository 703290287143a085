// A search beside a walk over the same records that uses nothing of it.
#pragma once

#include <functional>
#include <vector>

#include "blobs/core/predicate.hh"
#include "tests/unit/blobs/sample_records.hh"

namespace blobs::test {

// Asks that many questions of a blob, which has at least so many blocks, and of a buffer with these records. Questions that do
// not compile are left out.
void compare_with_a_walk(const std::vector<owned_record>& records, size_t blocks_min, int questions,
                         const std::function<record_predicate()>& next);

// Under the sanitizers each question takes twenty times as long, and what they look for shows in the first of them.
#ifdef __SANITIZE_ADDRESS__
constexpr int questions_share = 20;
#else
constexpr int questions_share = 1;
#endif

} // namespace blobs::test

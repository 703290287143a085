// A live tail: the newest rows there are, oldest first, then those that arrive, in the order they are found.
//
// The engine tells nobody of its writes, so arrivals are found by looking: every poll reads what has a time near the newest row
// that was sent, and now and then further back, where late rows are. Each row is known by its keys and sent once: what is found
// twice, or is there from before, is passed over. So there is no gap and no duplicate between history and arrivals, within these
// bounds: a row that arrives more than `look_back` behind the newest one is not noticed, and a row that is written again is not
// sent again.
#pragma once

#include <functional>
#include <memory>

#include <seastar/core/abort_source.hh>
#include <seastar/core/future.hh>

#include "query/core/native/answer_row.hh"
#include "query/core/native/seen_rows.hh"
#include "query/executor.hh"

namespace query {

class follower {
public:
    // Each row as it comes; `is_late` when a newer one was sent in an earlier round.
    using sink = std::function<void(const answer_row&, bool is_late)>;

    // The executor must outlive it.
    follower(executor&, request);

    // History. Call once, first.
    seastar::future<result<void>> begin(control&, sink);
    // What arrived since.
    seastar::future<result<void>> poll(control&, sink);

private:
    seastar::future<result<row_page>> read(control&, order_kind, size_t limit, time_range);
    seastar::future<result<void>> remember(control&);
    int64_t front_ns() const;
    bool take(const found_row&);

    executor& _executor;
    request _asked;
    std::unique_ptr<plan> _plan; // of the page under way
    seen_rows _seen;
    int64_t _newest_ns = time_range::always; // of what was sent
    unsigned _polls_count = 0;
};

} // namespace query

#include "query/core/native/page_end.hh"

#include <algorithm>

namespace query {

page_end end_of_page(const plan& p, row_collector& found) {
    const auto& rows = found.finish();
    if (rows.size() <= p.asked.limit && !found.is_short()) {
        return {rows.size(), {}};
    }
    const auto count = std::min(rows.size(), p.asked.limit);
    const auto at = found.position_of(*rows[count - 1]);
    position last{at.time_ns, p.origins[at.origin], at.table, std::string(at.partition_key), std::string(at.row_key)};
    return {count, encode_cursor({p.asked.fingerprint, p.asked.range, std::move(last), p.asked.now_ns})};
}

std::string cursor_of_page(const plan& p) {
    return p.asked.after ? encode_cursor({p.asked.fingerprint, p.asked.range, *p.asked.after, p.asked.now_ns}) : std::string();
}

} // namespace query

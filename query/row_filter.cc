#include "query/row_filter.hh"

#include "query/core/native/row_matcher.hh"
#include "query/core/native/row_time.hh"
#include "tables/core/key.hh"

namespace query {
namespace {

class predicate final : public tables::row_predicate {
public:
    predicate(const plan& p, uint32_t part, time_range range, control& watch)
        : _plan(p), _part(p.parts[part]), _kind(p.origin_of(_part).kind), _range(range), _after(p.after()),
          _matcher(p.where, p.origin_of(_part), _part.spread), _watch(watch) {}
    ~predicate() override { _watch.add_skipped(_skipped); }

    bool matches(const tables::entity_view& entity) override {
        const auto time = row_time(_kind, entity.row_key);
        if (!time) {
            ++_skipped;
            return false;
        }
        return _range.contains(*time) && is_behind_cursor(*time, entity) && _matcher.matches(*time, entity);
    }

    // Rows without a time are counted, so they have to be seen.
    bool can_match(const tables::segment_view& segment, size_t block) const override {
        return segment.block(block).text_keys_count != 0 || _matcher.can_match(segment, block);
    }

private:
    bool is_behind_cursor(int64_t time, const tables::entity_view& entity) {
        if (!_after || time != _after->time_ns) [[likely]] {
            return !_after || (time > _after->time_ns) == (_plan.asked.order == order_kind::ascending);
        }
        const position_view here{time, _part.origin, _part.id.value, tables::collate(entity.partition_key, _partition_key),
                                 tables::collate(entity.row_key, _row_key)};
        return comes_before(*_after, here, _plan.asked.order);
    }

    const plan& _plan;
    const table_part& _part;
    origin_kind _kind;
    time_range _range;
    std::optional<position_view> _after;
    row_matcher _matcher;
    control& _watch;
    uint64_t _skipped = 0;
    std::string _partition_key, _row_key; // scratch
};

} // namespace

std::unique_ptr<tables::row_predicate> row_filter::make() const {
    return std::make_unique<predicate>(_plan, _part, _range, _watch);
}

} // namespace query

// What the edits of a manifest come to.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "shard/core/manifest_edit.hh"

namespace shard {

class manifest_state {
public:
    const high_water_marks& marks() const { return _marks; }
    const flushed_mark& flushed(log_owner owner) const { return part_of(owner).flushed; }
    // The last one of each number of shards: with another number a shard has other partitions, so a later mark says nothing about
    // what an earlier one is about.
    const std::map<uint32_t, flushed_mark>& flushed_by_shards(log_owner owner) const { return part_of(owner).flushed_by_shards; }
    const std::map<std::string, std::string>& files(log_owner owner) const { return part_of(owner).files; } // name to facts
    // What is not read any more of files that other manifests list; name to facts.
    const std::map<std::string, std::string>& released(log_owner owner) const { return part_of(owner).released; }

    const std::map<uint32_t, base::sequence>& lanes() const { return _lanes; } // by shard

    void apply(const manifest_edit&);
    // The shortest history that leads here.
    std::vector<manifest_edit> snapshot() const;

private:
    void take(const high_water_marks& marks) { _marks.raise_to(marks); }
    void take(const files_edit&);
    void take(const lane_mark&);

    // Of one owner.
    struct part {
        flushed_mark flushed; // the last
        std::map<uint32_t, flushed_mark> flushed_by_shards;
        std::map<std::string, std::string> files;
        std::map<std::string, std::string> released;
    };
    const part& part_of(log_owner owner) const { return _parts[static_cast<size_t>(owner) - 1]; }

    high_water_marks _marks;
    std::array<part, 2> _parts;
    std::map<uint32_t, base::sequence> _lanes;
};

} // namespace shard

// What the edits of a manifest come to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shard/core/manifest_edit.hh"

namespace shard {

class manifest_state {
public:
    const high_water_marks& marks() const { return _marks; }
    const flushed_mark& flushed() const { return _flushed; }
    const std::map<std::string, std::string>& files() const { return _files; } // name to facts

    void apply(const manifest_edit&);
    // The shortest history that leads here.
    std::vector<manifest_edit> snapshot() const;

private:
    void apply(const high_water_marks& marks) { _marks.raise_to(marks); }
    void apply(const files_edit&);

    high_water_marks _marks;
    flushed_mark _flushed;
    std::map<std::string, std::string> _files;
};

} // namespace shard

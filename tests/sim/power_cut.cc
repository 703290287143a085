// A power cut: which of the volatile changes of a disk survive. The rules are in disk_model.hh.

#include <algorithm>
#include <random>

#include "tests/sim/disk_model.hh"

namespace sim {

class power_cut {
public:
    power_cut(const disk_model& before, crash_policy policy) : _before(before), _kind(policy.kind), _random(policy.seed) {}

    disk_model run() {
        find_last_write();
        cut_names();
        for (const auto& [id, folder] : _before._folders) {
            keep_folder(id, *folder);
        }
        keep_reachable(_after._folders.begin()->first);
        _after._folders = std::move(_reachable_folders);
        _after._next_id = _before._next_id;
        return std::move(_after);
    }

private:
    // A number in [0, count]: how many of `count` ordered changes survive.
    size_t choose(size_t count) {
        switch (_kind) {
        case survival::keep_all: return count;
        case survival::drop_all: return 0;
        case survival::random: return std::uniform_int_distribution<size_t>(0, count)(_random);
        }
        return 0;
    }

    void find_last_write() {
        for (const auto& [id, file] : _before._files) {
            for (const auto& change : file->pending) {
                _last_write = change.is_truncation ? _last_write : std::max(_last_write, change.index);
            }
        }
    }

    // --- names ---

    void cut_names() {
        for (const auto& [id, folder] : _before._folders) {
            _kept_names[id] = choose(folder->pending.size());
        }
        // The old name of a file moved between folders goes only where the new one stays: repeat until nothing moves.
        for (bool moved = true; moved;) {
            moved = false;
            for (const auto& [id, folder] : _before._folders) {
                for (size_t i = 0; i < _kept_names[id]; ++i) {
                    moved |= keep_up_to(folder->pending[i].needs, folder->pending[i].index);
                }
            }
        }
    }

    bool keep_up_to(node_id folder, uint64_t index) {
        const auto found = _before._folders.find(folder);
        if (found == _before._folders.end()) {
            return false;
        }
        const auto& pending = found->second->pending;
        const auto needed = std::ranges::upper_bound(pending, index, {}, &name_change::index) - pending.begin();
        auto& kept = _kept_names[folder];
        const bool moved = kept < static_cast<size_t>(needed);
        kept = std::max(kept, static_cast<size_t>(needed));
        return moved;
    }

    void keep_folder(node_id id, const folder_node& folder) {
        auto names = folder.durable;
        for (size_t i = 0; i < _kept_names[id]; ++i) {
            for (const auto& [name, node] : folder.pending[i].edits) {
                if (node == 0) {
                    names.erase(name);
                } else {
                    names[name] = node;
                }
            }
        }
        auto kept = std::make_shared<folder_node>();
        kept->durable = names;
        kept->current = std::move(names);
        _after._folders[id] = std::move(kept);
    }

    void keep_reachable(node_id id) {
        const auto folder = _after._folders.at(id);
        _reachable_folders[id] = folder;
        for (const auto& [name, node] : folder->current) {
            if (_after._folders.contains(node)) {
                keep_reachable(node);
            } else {
                ++_after._links[node];
                keep_file(node);
            }
        }
    }

    // --- bytes ---

    void keep_file(node_id id) {
        if (_after._files.contains(id)) {
            return; // by another name
        }
        const auto& file = _before._files.at(id);
        if (file->pending.empty()) {
            _after._files[id] = file;
            return;
        }
        auto kept = std::make_shared<file_node>();
        kept->durable = file->durable;
        kept->durable_size = file->durable_size;
        keep_changes(*kept, file->pending);
        kept->current = kept->durable;
        kept->size = kept->durable_size;
        _after._files[id] = std::move(kept);
    }

    // How many changes of the length there are: truncations, and writes beyond the end.
    static size_t count_length_changes(uint64_t size, const std::vector<pending_change>& pending) {
        size_t count = 0;
        for (const auto& change : pending) {
            count += change.is_truncation || change.end() > size;
            size = change.is_truncation ? change.position : std::max(size, change.end());
        }
        return count;
    }

    void keep_changes(file_node& file, const std::vector<pending_change>& pending) {
        auto lengths_kept = choose(count_length_changes(file.durable_size, pending));
        auto size_before_cut = file.durable_size;
        for (const auto& change : pending) {
            const bool changes_length = change.is_truncation || change.end() > size_before_cut;
            size_before_cut = change.is_truncation ? change.position : std::max(size_before_cut, change.end());
            const bool keeps_length = changes_length && lengths_kept > 0;
            lengths_kept -= keeps_length;
            if (change.is_truncation) {
                if (!keeps_length) {
                    break;
                }
                file.durable.cut(change.position);
                file.durable_size = change.position;
            } else {
                file.durable_size = keeps_length ? change.end() : file.durable_size;
                keep_sectors(file.durable, change);
            }
        }
        file.durable.cut(file.durable_size);
    }

    void keep_sectors(extents& content, const pending_change& change) {
        const auto sectors = (change.bytes.length + sector_bytes - 1) / sector_bytes;
        // All or nothing are likelier than chance would make them, or long writes would never be seen whole.
        const auto luck = _kind == survival::random ? _random() % 4 : 0;
        if (_kind == survival::keep_all || luck == 1) {
            content.write(change.position, change.bytes);
        } else if (luck >= 2) {
            for (size_t i = 0; i < sectors; ++i) {
                if (_random() % 2 == 0) {
                    keep_sector(content, change, i, sector_bytes);
                }
            }
        }
        if (_kind == survival::random && change.index == _last_write && _random() % 2 == 0) {
            keep_sector(content, change, _random() % sectors, 1 + _random() % (sector_bytes - 1));
        }
    }

    static void keep_sector(extents& content, const pending_change& change, size_t sector, size_t bytes) {
        const auto from = sector * sector_bytes;
        content.write(change.position + from, change.bytes.part(from, std::min(bytes, change.bytes.length - from)));
    }

    const disk_model& _before;
    const survival _kind;
    std::mt19937_64 _random;
    uint64_t _last_write = 0;
    std::map<node_id, size_t> _kept_names;
    std::map<node_id, std::shared_ptr<folder_node>> _reachable_folders;
    disk_model _after;
};

disk_model disk_model::after_power_cut(crash_policy policy) const {
    return power_cut(*this, policy).run();
}

} // namespace sim

#include "tests/sim/disk_model.hh"

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "shard/core/disk_path.hh"

namespace sim {
namespace {

constexpr node_id root_id = 1;

std::string name_of(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// What is durable now must not be undone by an orphan: takes [begin, end) out of those made before `index`.
void cut_orphans(std::vector<pending_change>& pending, uint64_t index, uint64_t begin, uint64_t end) {
    std::vector<pending_change> left;
    for (const auto& change : pending) {
        if (!change.is_orphan || change.index >= index || change.end() <= begin || change.position >= end) {
            left.push_back(change);
            continue;
        }
        if (change.position < begin) {
            auto head = change;
            head.bytes = change.bytes.part(0, begin - change.position);
            left.push_back(head);
        }
        if (change.end() > end) {
            auto tail = change;
            tail.position = end;
            tail.bytes = change.bytes.part(end - change.position, change.end() - end);
            left.push_back(tail);
        }
    }
    pending = std::move(left);
}

void make_durable(file_node& file, const pending_change& change) {
    if (change.is_truncation) {
        file.durable.cut(change.position);
        file.durable_size = change.position;
        cut_orphans(file.pending, change.index, change.position, UINT64_MAX);
    } else {
        file.durable.write(change.position, change.bytes);
        file.durable_size = std::max(file.durable_size, change.end());
        cut_orphans(file.pending, change.index, change.position, change.end());
    }
}

void apply_names(std::map<std::string, node_id>& names, const name_change& change) {
    for (const auto& [name, id] : change.edits) {
        if (id == 0) {
            names.erase(name);
        } else {
            names[name] = id;
        }
    }
}

} // namespace

disk_model::disk_model() {
    _folders[root_id] = std::make_shared<folder_node>();
    _next_id = root_id + 1;
}

// --- looking things up ----------------------------------------------------------------------------------------------

node_id disk_model::find(const std::string& path) const {
    if (path.empty()) {
        return root_id;
    }
    const auto folder = _folders.find(find(shard::folder_of(path)));
    if (folder == _folders.end()) {
        return 0;
    }
    const auto entry = folder->second->current.find(name_of(path));
    return entry == folder->second->current.end() ? 0 : entry->second;
}

node_id disk_model::require(const std::string& path) const {
    const auto id = find(path);
    return id != 0 ? id : (fail(ENOENT, path), 0);
}

node_id disk_model::find_file(const std::string& path) const {
    const auto id = require(path);
    return _files.contains(id) ? id : (fail(EISDIR, path), 0);
}

node_id disk_model::find_folder(const std::string& path) const {
    const auto id = require(path);
    return _folders.contains(id) ? id : (fail(ENOTDIR, path), 0);
}

bool disk_model::exists(const std::string& path) const {
    return find(path) != 0;
}

std::vector<std::string> disk_model::list(const std::string& path) const {
    std::vector<std::string> names;
    for (const auto& [name, id] : _folders.at(find_folder(path))->current) {
        names.push_back(name);
    }
    return names;
}

uint64_t disk_model::used_bytes() const {
    uint64_t bytes = 0;
    for (const auto& [id, file] : _files) {
        bytes += _links.contains(id) || _handles.contains(id) ? file->current.allocated_bytes() : 0;
    }
    return bytes;
}

void disk_model::drop_handle(node_id id) {
    if (--_handles.at(id) == 0) {
        _handles.erase(id);
        if (!_links.contains(id)) {
            collect();
        }
    }
}

// --- changes ----------------------------------------------------------------------------------------------------------

file_node& disk_model::own_file(node_id id) {
    auto& file = _files.at(id);
    if (file.use_count() > 1) {
        file = std::make_shared<file_node>(*file);
    }
    return *file;
}

folder_node& disk_model::own_folder(node_id id) {
    auto& folder = _folders.at(id);
    if (folder.use_count() > 1) {
        folder = std::make_shared<folder_node>(*folder);
    }
    return *folder;
}

node_id disk_model::apply(const operation& op) {
    // Replayed from a checkpoint, a handle's file may be gone already: it had no name then and none can come back.
    const bool is_file_operation = op.node != 0;
    node_id created = 0;
    if (!is_file_operation || _files.contains(op.node)) {
        switch (op.kind) {
        case op_kind::create: created = create(op); break;
        case op_kind::write: write(op); break;
        case op_kind::truncate: truncate(op); break;
        case op_kind::flush: flush(op); break;
        case op_kind::rename: rename(op); break;
        case op_kind::remove: remove(op); break;
        case op_kind::link: link(op); break;
        case op_kind::make_directory: make_directory(op); break;
        case op_kind::sync_directory: sync_directory(op); break;
        case op_kind::flip_bit: flip_bit(op); break;
        default: throw std::logic_error("not a change");
        }
    }
    ++_operations_count;
    return created;
}

void disk_model::change_names(node_id folder, name_change change) {
    auto& node = own_folder(folder);
    apply_names(node.current, change);
    node.pending.push_back(std::move(change));
}

node_id disk_model::create(const operation& op) {
    const auto folder = find_folder(shard::folder_of(op.path));
    if (find(op.path) != 0) {
        fail(EEXIST, op.path);
    }
    const auto id = _next_id++;
    _files[id] = std::make_shared<file_node>();
    _links[id] = 1;
    change_names(folder, {_operations_count, {{name_of(op.path), id}}});
    return id;
}

void disk_model::write(const operation& op) {
    if (op.bytes.length == 0) {
        return;
    }
    auto& file = own_file(op.node);
    file.current.write(op.position, op.bytes);
    file.size = std::max<uint64_t>(file.size, op.position + op.bytes.length);
    file.pending.push_back({.index = _operations_count, .position = op.position, .bytes = op.bytes});
}

void disk_model::truncate(const operation& op) {
    auto& file = own_file(op.node);
    file.current.cut(op.position);
    file.size = op.position;
    file.pending.push_back({.index = _operations_count, .is_truncation = true, .position = op.position});
}

void disk_model::flush(const operation& op) {
    auto& file = own_file(op.node);
    const auto changes = file.pending;
    for (const auto& change : changes) {
        if (change.index < op.covers && !change.is_orphan && op.error == 0) {
            make_durable(file, change);
        }
    }
    std::erase_if(file.pending,
                  [&](const auto& change) { return change.index < op.covers && !change.is_orphan && op.error == 0; });
    for (auto& change : file.pending) {
        // Truncations live in the journal, which does not forget; a failure there would have stopped the file system.
        change.is_orphan |= change.index < op.covers && op.error != 0 && !change.is_truncation;
    }
}

void disk_model::rename(const operation& op) {
    const auto id = require(op.path);
    const auto from = find_folder(shard::folder_of(op.path));
    const auto to = find_folder(shard::folder_of(op.to));
    const auto replaced = find(op.to);
    if (replaced == id) {
        return;
    }
    if (replaced != 0 && (_folders.contains(replaced) || _folders.contains(id))) {
        fail(_folders.contains(replaced) ? EISDIR : ENOTDIR, op.to);
    }
    if (from == to) {
        change_names(from, {_operations_count, {{name_of(op.path), 0}, {name_of(op.to), id}}});
    } else {
        change_names(to, {_operations_count, {{name_of(op.to), id}}});
        change_names(from, {_operations_count, {{name_of(op.path), 0}}, to});
    }
    if (replaced != 0) {
        unlink(replaced);
    }
}

void disk_model::remove(const operation& op) {
    const auto id = require(op.path);
    if (_folders.contains(id) && !_folders.at(id)->current.empty()) {
        fail(ENOTEMPTY, op.path);
    }
    change_names(find_folder(shard::folder_of(op.path)), {_operations_count, {{name_of(op.path), 0}}});
    if (_files.contains(id)) {
        unlink(id);
    }
}

void disk_model::unlink(node_id id) {
    if (--_links.at(id) == 0) {
        _links.erase(id);
    }
}

void disk_model::link(const operation& op) {
    const auto id = find_file(op.path);
    const auto folder = find_folder(shard::folder_of(op.to));
    if (find(op.to) != 0) {
        fail(EEXIST, op.to);
    }
    ++_links[id];
    change_names(folder, {_operations_count, {{name_of(op.to), id}}});
}

void disk_model::make_directory(const operation& op) {
    if (const auto there = find(op.path); there != 0) {
        find_folder(op.path);
        return;
    }
    const auto parent = find_folder(shard::folder_of(op.path));
    const auto id = _next_id++;
    _folders[id] = std::make_shared<folder_node>();
    change_names(parent, {_operations_count, {{name_of(op.path), id}}});
}

void disk_model::sync_directory(const operation& op) {
    if (op.error == 0) {
        sync_names(find_folder(op.path), UINT64_MAX);
        collect();
    }
}

void disk_model::sync_names(node_id id, uint64_t before) {
    auto& folder = own_folder(id);
    while (!folder.pending.empty() && folder.pending.front().index < before) {
        const auto change = folder.pending.front();
        folder.pending.erase(folder.pending.begin());
        apply_names(folder.durable, change);
        if (change.needs != 0 && _folders.contains(change.needs)) {
            sync_names(change.needs, change.index + 1);
        }
    }
}

void disk_model::flip_bit(const operation& op) {
    auto& file = own_file(op.node);
    const uint64_t at = op.position / 8;
    if (at >= file.size) {
        throw std::out_of_range("flip_bit beyond the end of " + op.path);
    }
    for (auto* content : {&file.current, &file.durable}) {
        char byte = 0;
        content->read(at, {&byte, 1});
        byte ^= static_cast<char>(1 << op.position % 8);
        content->write(at, slice::copy_of({&byte, 1}));
    }
}

// Forgets files that no power cut can bring back.
void disk_model::collect() {
    if (_files.size() == _links.size()) {
        return;
    }
    std::set<node_id> named;
    for (const auto& [id, folder] : _folders) {
        for (const auto* names : {&folder->current, &folder->durable}) {
            for (const auto& [name, node] : *names) {
                named.insert(node);
            }
        }
        for (const auto& change : folder->pending) {
            for (const auto& [name, node] : change.edits) {
                named.insert(node);
            }
        }
    }
    std::erase_if(_files, [&](const auto& entry) { return !named.contains(entry.first) && !_handles.contains(entry.first); });
}

} // namespace sim

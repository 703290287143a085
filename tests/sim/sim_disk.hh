// A disk in memory for tests: it records every change in order, can be cut off at any of them, and fails on demand. What
// survives a power cut, and what does not, is stated in disk_model.hh.
//
// Lives on one shard and must outlive its files; sim::shared_disk lets the other shards use it. A run of the code under test
// leaves operations_count() changes; crash_image(i, policy) is the disk as the next start finds it when the power went after
// the first i of them. An image is a sim_disk of its own, so it can be cut again.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <seastar/core/condition-variable.hh>

#include "shard/disk.hh"
#include "tests/sim/disk_model.hh"
#include "tests/sim/faults.hh"

namespace sim {

enum class history : uint8_t {
    keep, // crash_image() at any operation; all bytes ever written stay in memory
    drop, // crash_image() only at the last operation; for long runs
};

struct sim_options {
    size_t alignment = 4096;
    uint64_t capacity_bytes = uint64_t{1} << 40; // written bytes of files that have a name or a handle
    history operations = history::keep;
    unsigned yields_max = 1; // an operation completes after 1 to this many turns of the reactor; 0: at once
    uint64_t seed = 1;       // for the number of turns
};

struct read_counts {
    uint64_t reads_count = 0;
    uint64_t bytes = 0;
};

class sim_disk final : public shard::disk {
public:
    explicit sim_disk(sim_options options = {}) : sim_disk(options, disk_model()) {}
    sim_disk(sim_options, disk_model);
    ~sim_disk() override;
    sim_disk(const sim_disk&) = delete;

    seastar::future<shard::file_ptr> open(std::string path, shard::open_mode) override;
    seastar::future<bool> exists(std::string path) override;
    seastar::future<> rename(std::string from, std::string to) override;
    seastar::future<> remove(std::string path) override;
    seastar::future<> link(std::string from, std::string to) override;
    seastar::future<> make_directory(std::string path) override;
    seastar::future<std::vector<std::string>> list(std::string path) override;
    seastar::future<> sync_directory(std::string path) override;
    seastar::future<shard::disk_space> space() override;

    // --- power cuts

    uint64_t operations_count() const { return _base_count + _history.size(); }
    const std::vector<operation>& operations() const { return _history; }
    // Numbers of operations after which a flush or sync_directory had just succeeded: where the durable state changed.
    std::vector<uint64_t> flush_boundaries() const;
    // The first flush that made operation `index` (a write or truncation) durable; nothing when none did.
    std::optional<uint64_t> covered_by(uint64_t index) const;
    std::unique_ptr<sim_disk> crash_image(uint64_t operations_count, crash_policy) const;
    std::unique_ptr<sim_disk> crash_image(crash_policy policy) const { return crash_image(operations_count(), policy); }

    // --- faults

    void fail_at(fault f) { _faults.add(std::move(f)); }
    void fail_randomly(random_faults f) { _faults.set(std::move(f)); }
    void clear_faults() { _faults.clear(); }
    void set_capacity(uint64_t bytes) { _options.capacity_bytes = bytes; }
    // Nothing is left to write into, but what is there may be overwritten.
    void fill() { set_capacity(_model.used_bytes()); }
    void slow(unsigned yields_max) { _options.yields_max = yields_max; }
    // Operations that match wait until release(). held_count() of them are waiting.
    void hold(op_filter filter) { _held = std::move(filter); }
    void release();
    unsigned held_count() const { return _held_count; }
    // Damages what is on the disk, durable or not.
    void flip_bit(std::string path, uint64_t offset, unsigned bit);

    const read_counts& reads() const { return _reads; }

private:
    friend class sim_file;

    seastar::future<injected> before(op_kind, std::string path);
    seastar::future<> pass(op_kind, std::string path);
    seastar::future<node_id> carry_out(operation);
    node_id record(operation);
    seastar::future<> write(operation, const char* data, size_t length);
    seastar::future<> flush(operation);
    seastar::future<seastar::temporary_buffer<char>> read(node_id, std::string path, uint64_t position, size_t length);
    disk_model model_at(uint64_t operations_count) const;

    sim_options _options;
    disk_model _model;
    uint64_t _base_count = 0; // operations forgotten
    std::vector<operation> _history;
    std::vector<disk_model> _checkpoints; // after 0, checkpoint_every, 2 * checkpoint_every... operations
    fault_plan _faults;
    std::optional<op_filter> _held;
    unsigned _held_count = 0;
    seastar::condition_variable _released;
    std::mt19937_64 _random;
    read_counts _reads;
};

} // namespace sim

#include "tests/lib/running_engine.hh"

#include <fmt/format.h>

#include "tables/core/key.hh"

namespace testing_lib {
namespace {

std::string value_text(const tables::value& v) {
    switch (v.type()) {
    case tables::value_type::string: return fmt::format("s{}", v.as_string());
    case tables::value_type::int32: return fmt::format("i{}", v.as_int32());
    case tables::value_type::int64: return fmt::format("l{}", v.as_int64());
    case tables::value_type::real: return fmt::format("d{}", v.as_real());
    case tables::value_type::boolean: return v.as_boolean() ? "true" : "false";
    case tables::value_type::datetime: return "t" + base::to_text(v.as_datetime());
    case tables::value_type::guid: return "g";
    case tables::value_type::binary: return fmt::format("b{}", v.as_binary());
    }
    return "?";
}

} // namespace

running_engine::running_engine(sim::sim_disk& disk, options o) {
    start([&disk, owner = seastar::this_shard_id()] { return std::make_unique<sim::shared_disk>(disk, owner); }, o);
}

running_engine::running_engine(const std::string& directory, options o) {
    start([directory] { return std::make_unique<shard::dma_disk>(directory); }, o);
}

void running_engine::start(std::function<std::unique_ptr<shard::disk>()> make_disk, options o) {
    tables::engine_config config;
    config.make_disk = std::move(make_disk);
    config.now = [this] { return _clock.now(); };
    config.shards_count = o.shards_count;
    config.memtable_bytes_max = o.memtable_bytes_max;
    config.cache_bytes_max = o.cache_bytes_max;
    config.flush = o.flush;
    config.admission = o.admission;
    config.disk_reserve_bytes = o.disk_reserve_bytes;
    config.log.file_bytes = o.log_file_bytes;
    config.log.buffer_bytes = o.log_file_bytes / 2;
    _engines.start(config).get();
    if (o.before_open) {
        o.before_open(_engines);
    }
    _opened = _engines.local().open().get();
    _mergers.start(std::ref(_engines), compaction::runner_config{.how = o.merging, .every = o.merge_every}).get();
    _mergers.invoke_on_all(&compaction::runner::start).get();
}

running_engine::~running_engine() {
    _mergers.stop().get();
    _engines.stop().get();
}

base::table_id running_engine::create(const std::string& name) {
    return _engines.local().create_table({"account", name, {}}).get().value().id;
}

void running_engine::flush() {
    _engines.invoke_on_all([](tables::engine& e) { return e.flush().discard_result(); }).get();
}

void running_engine::compact() {
    _mergers.invoke_on_all(&compaction::runner::run_once).get();
}

std::string to_text(std::string_view partition_key, std::string_view row_key, std::span<const tables::property> properties) {
    std::string text = fmt::format("{}|{}|", partition_key, row_key);
    for (const auto& p : properties) {
        text += fmt::format("{}={},", p.name, value_text(p.value));
    }
    return text;
}

std::string to_text(const tables::batch_row& row) {
    std::vector<tables::property> properties;
    for (size_t i = 0; i < row.row.size(); ++i) {
        properties.push_back(row.row[i]);
    }
    return to_text(tables::uncollate(row.partition_key), tables::uncollate(row.row_key), properties);
}

} // namespace testing_lib

#include "server/metrics_text.hh"

#include <array>
#include <map>

#include <seastar/core/metrics_api.hh>
#include <seastar/core/smp.hh>

namespace server {
namespace {

namespace metrics = seastar::metrics;

struct family_text {
    std::string head;    // HELP and TYPE
    std::string samples; // a line each
};
using families = std::map<std::string, family_text>; // by full name, so that shards' samples of one metric stand together

constexpr std::array own_groups{"base",  "shard",      "http",  "tables",  "blobs", "ingest",
                                "query", "compaction", "scrub", "service", "server"};

std::string full_name(const std::string& name) {
    for (std::string_view group : own_groups) {
        if (name.starts_with(group) && name.size() > group.size() && name[group.size()] == '_') {
            return "downtick_" + name;
        }
    }
    return "seastar_" + name;
}

std::string_view type_name(metrics::impl::data_type type) {
    switch (type) {
    case metrics::impl::data_type::COUNTER:
    case metrics::impl::data_type::REAL_COUNTER: return "counter";
    case metrics::impl::data_type::HISTOGRAM: return "histogram";
    case metrics::impl::data_type::SUMMARY: return "summary";
    case metrics::impl::data_type::GAUGE: return "gauge";
    }
    return "untyped";
}

std::string label_text(const metrics::impl::labels_type& labels) {
    std::string text;
    for (const auto& [name, value] : labels) {
        text += text.empty() ? "" : ",";
        text += fmt::format("{}=\"", name);
        for (char c : value) {
            if (c == '\n') {
                text += "\\n";
                continue;
            }
            if (c == '"' || c == '\\') {
                text += '\\';
            }
            text += c;
        }
        text += '"';
    }
    return text;
}

void add_histogram(std::string& out, const std::string& name, const std::string& labels, const metrics::histogram& h,
                   std::string_view bound) {
    const std::string comma = labels.empty() ? "" : ",";
    const bool is_histogram = bound == "le";
    for (const auto& bucket : h.buckets) {
        out += fmt::format("{}{}{{{}{}{}=\"{}\"}} {}\n", name, is_histogram ? "_bucket" : "", labels, comma, bound,
                           bucket.upper_bound, bucket.count);
    }
    if (is_histogram) {
        out += fmt::format("{}_bucket{{{}{}le=\"+Inf\"}} {}\n", name, labels, comma, h.sample_count);
    }
    out += fmt::format("{0}_sum{{{1}}} {2}\n{0}_count{{{1}}} {3}\n", name, labels, h.sample_sum, h.sample_count);
}

void add_sample(std::string& out, const std::string& name, const metrics::impl::labels_type& labels,
                const metrics::impl::metric_value& value) {
    const auto text = label_text(labels);
    switch (value.type()) {
    case metrics::impl::data_type::HISTOGRAM: return add_histogram(out, name, text, value.get_histogram(), "le");
    case metrics::impl::data_type::SUMMARY: return add_histogram(out, name, text, value.get_histogram(), "quantile");
    default: out += fmt::format("{}{{{}}} {}\n", name, text, value.d());
    }
}

families local_families() {
    families result;
    const auto values = metrics::impl::get_values();
    auto row = values->values.begin();
    for (const auto& family : *values->metadata) {
        const auto name = full_name(family.mf.name);
        auto& text = result[name];
        text.head = fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, family.mf.d.str(), type_name(family.mf.type));
        auto value = row->begin();
        for (const auto& series : family.metrics) {
            add_sample(text.samples, name, series.labels(), *value++);
        }
        ++row;
    }
    return result;
}

} // namespace

seastar::future<std::string> metrics_text() {
    families all;
    for (unsigned shard : seastar::smp::all_cpus()) {
        auto of_shard = co_await seastar::smp::submit_to(shard, local_families);
        for (auto& [name, text] : of_shard) {
            auto& target = all[name];
            target.head = text.head;
            target.samples += text.samples;
        }
    }
    std::string out;
    for (const auto& [name, text] : all) {
        out += text.head;
        out += text.samples;
    }
    co_return out;
}

} // namespace server

#include "server/core/settings.hh"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include "base/byte_size.hh"
#include "server/core/settings_check.hh"

namespace server {
namespace {

namespace po = boost::program_options;
using base::errc;
using base::fail;

struct option_groups {
    po::options_description general{"General"};
    po::options_description listen{"Where it listens"};
    po::options_description resources{"What it may use"};

    po::options_description all() const {
        po::options_description merged;
        return merged.add(general).add(listen).add(resources), merged;
    }
};

// Options that are read once all are known.
struct option_texts {
    std::string config;
    std::string memory;
    std::string disk_reserve;
    std::string disk_high_water;
    std::vector<std::string> spreads;
};

constexpr unsigned smp_max = 1024;
constexpr unsigned days_max = 36'500;
constexpr unsigned seconds_max = 86'400;
constexpr unsigned rate_max = 1'000'000'000;

// The library's own numbers take -1 for the largest there is.
template <class Number>
po::typed_value<std::string>* whole_number(const char* option, Number& target, unsigned least, unsigned most) {
    return po::value<std::string>()->notifier([=, &target](const std::string& text) {
        unsigned number = 0;
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (status != std::errc() || end != text.data() + text.size() || number < least || number > most) {
            throw po::error(fmt::format("{} = {} is not a number from {} to {}", option, text, least, most));
        }
        target = static_cast<Number>(number);
    });
}

// The one table. Defaults come from `settings` itself, so that they are written down once.
option_groups option_table(settings& s, option_texts& texts) {
    option_groups g;
    auto text = [](std::string& target, const char* name) { return po::value(&target)->default_value(target)->value_name(name); };
    auto port = [](const char* option, uint16_t& target) {
        return whole_number(option, target, 0, UINT16_MAX)->default_value(std::to_string(target))->value_name("PORT");
    };
    g.general.add_options()("help,h", "this text")("help-seastar", "the options of the framework underneath, for experts")(
        "config", po::value(&texts.config)->value_name("FILE"),
        "read options from FILE, one `key = value` a line (configs/downtick.conf)")(
        "data", text(s.data, "DIR"), "keep everything in DIR; it is created when missing")(
        "log-level", text(s.log_level, "LEVEL"), "error, warn, info, debug or trace");
    g.listen.add_options()("bind", text(s.bind, "ADDRESS"),
                           "address of all listeners; beyond loopback a token and TLS are needed")(
        "http-port", port("http-port", s.http_port),
        "native HTTP; 0 turns it off")("table-port", port("table-port", s.table_port), "Azure Table service; 0 turns it off")(
        "blob-port", port("blob-port", s.blob_port), "Azure Blob service, the read side of logs; 0 turns it off")(
        "line-port", port("line-port", s.line_port), "line protocol over TCP; 0 turns it off")(
        "json-port", port("json-port", s.json_port), "JSON lines over TCP; 0 turns it off")(
        "graphite-port", port("graphite-port", s.graphite_port), "Graphite plaintext over TCP; 0 turns it off")(
        "syslog-port", port("syslog-port", s.syslog_port), "syslog over TCP; 0 turns it off")(
        "syslog-source", text(s.syslog_source, "NAMING"), "the source of a syslog message: app, host or fixed:NAME")(
        "syslog-zone", text(s.syslog_zone, "ZONE"), "of syslog dates that say none (RFC 3164): UTC, +02:00 or Europe/Vienna")(
        "allow-plain", po::bool_switch(&s.allow_plain), "let TCP ports that others can reach do without TLS")(
        "spread", po::value(&texts.spreads)->composing()->value_name("FAMILY:N"),
        "fan each series of a family out over N partitions; may be repeated; holds from the family's next table on")(
        "account", po::value(&s.accounts)->composing()->value_name("NAME:KEY"),
        "an account of the Table service, its key in base64; may be repeated; by default devstoreaccount1 with its public key")(
        "allow-development-key", po::bool_switch(&s.allow_development_key),
        "serve the public development key beyond loopback too")("token", po::value(&s.token)->value_name("SECRET"),
                                                                "what clients of /v1 and /write must present")(
        "tls-cert", po::value(&s.tls_cert)->value_name("FILE"), "certificate chain (PEM); with --tls-key turns TLS on")(
        "tls-key", po::value(&s.tls_key)->value_name("FILE"), "private key (PEM)");
    g.resources.add_options()("smp", whole_number("smp", s.smp, 1, smp_max)->value_name("N"),
                              "cores to use; by default all there are")(
        "partition-rate",
        whole_number("partition-rate", s.partition_rate_max, 0, rate_max)
            ->default_value(std::to_string(s.partition_rate_max))
            ->value_name("N"),
        "entities a second that a partition of a table takes; beyond it clients get 503; 0: all it can")(
        "disk-reserve", po::value(&texts.disk_reserve)->value_name("SIZE"),
        "refuse writes when less than this is free on the disk, e.g. 2G (256M)")(
        "disk-high-water", po::value(&texts.disk_high_water)->value_name("PERCENT"),
        "refuse writes when more of the disk is used, e.g. 85%")("disk-drop-oldest", po::bool_switch(&s.disk_drop_oldest),
                                                                 "instead (90%) drop oldest tables under a policy")(
        "scrub-days",
        whole_number("scrub-days", s.scrub_days, 0, days_max)->default_value(std::to_string(s.scrub_days))->value_name("N"),
        "verify all that is stored every N days; 0: never")(
        "own-metrics-seconds",
        whole_number("own-metrics-seconds", s.own_metrics_seconds, 0, seconds_max)
            ->default_value(std::to_string(s.own_metrics_seconds))
            ->value_name("N"),
        "the server's own figures and log become family and source downtick; 0: neither")(
        "memory", po::value(&texts.memory)->value_name("SIZE"),
        "of the whole process, like 512M or 4G; by default a quarter of the machine");
    return g;
}

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = std::exchange(row[0], i);
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row[b.size()];
}

// Empty when none is much like it: at least half of the letters are those of the other.
std::string nearest(const po::options_description& table, const std::string& unknown) {
    std::string best;
    size_t best_distance = unknown.size() / 2 + 1;
    for (const auto& option : table.options()) {
        if (auto distance = edit_distance(option->long_name(), unknown); distance < best_distance) {
            best_distance = distance;
            best = option->long_name();
        }
    }
    return best;
}

std::string sentence(const po::options_description& table, const po::error& e, const std::string& where) {
    if (const auto* unknown = dynamic_cast<const po::unknown_option*>(&e)) {
        auto key = unknown->get_option_name();
        key.erase(0, key.find_first_not_of('-'));
        key = key.substr(0, key.find('='));
        const auto known = nearest(table, key);
        return known.empty() ? fmt::format("{}unknown option '{}'; `downtick serve --help` lists those there are", where, key)
                             : fmt::format("{}unknown option '{}'; the nearest known one is '{}'", where, key, known);
    }
    if (dynamic_cast<const po::too_many_positional_options_error*>(&e) != nullptr) {
        return where + "every word is an option or its value; `downtick serve --help` lists them";
    }
    return where + e.what();
}

base::expected<std::map<std::string, unsigned>> parse_spreads(const std::vector<std::string>& texts) {
    constexpr unsigned spread_max = 256;
    std::map<std::string, unsigned> spreads;
    for (const auto& text : texts) {
        const auto colon = text.rfind(':');
        const char* const end = text.data() + text.size();
        unsigned count = 0;
        const bool is_number = colon != text.npos && std::from_chars(text.data() + colon + 1, end, count).ptr == end;
        if (colon == 0 || !is_number || count == 0 || count > spread_max) {
            return fail(errc::invalid_argument, fmt::format("spread = {} is not FAMILY:N with N from 1 to {}", text, spread_max));
        }
        spreads.try_emplace(text.substr(0, colon), count); // those of the command line come first, and win
    }
    return spreads;
}

// "85%" or "85".
base::expected<unsigned> parse_percent(std::string_view text) {
    unsigned number = 0;
    const auto digits = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (status != std::errc() || end != digits.data() + digits.size() || number == 0 || number > 100) {
        return fail(errc::invalid_argument, fmt::format("'{}' is not a part of the disk from 1% to 100%", text));
    }
    return number;
}

// What the command line and the file it names say goes to where the table points, unless it asks for something else than serving.
base::expected<serve_action> read_options(const std::vector<std::string>& args, file_reader read_file,
                                          const po::options_description& table) {
    po::variables_map values;
    std::string where = "command line: ";
    try {
        po::store(po::command_line_parser(args).options(table).positional({}).run(), values);
        if (values.contains("help") || values.contains("help-seastar")) {
            return values.contains("help") ? serve_action::print_help : serve_action::print_seastar_help;
        }
        if (values.contains("config")) {
            const auto path = values["config"].as<std::string>();
            where = path + ": ";
            const auto content = read_file(path);
            if (!content) {
                return std::unexpected(content.error());
            }
            std::istringstream stream(*content);
            po::store(po::parse_config_file(stream, table), values);
        }
        po::notify(values);
        if (values.contains("token") && values["token"].as<std::string>().empty()) {
            return fail(errc::invalid_argument, "token is empty: give it a secret, or leave it out");
        }
    } catch (const po::error& e) {
        return fail(errc::invalid_argument, sentence(table, e, where));
    }
    return serve_action::serve;
}

// An option that was not given leaves `target` as it is.
template <class Parse, class Value>
base::expected<void> read_text(const char* option, const std::string& text, Parse parse, Value& target) {
    if (text.empty()) {
        return {};
    }
    const auto value = parse(text);
    if (!value) {
        return fail(errc::invalid_argument, fmt::format("{}: {}", option, value.error().detail));
    }
    target = *value;
    return {};
}

base::expected<void> read_texts(const option_texts& texts, settings& s) {
    auto spreads = parse_spreads(texts.spreads);
    if (!spreads) {
        return std::unexpected(spreads.error());
    }
    s.spreads = std::move(*spreads);
    return read_text("memory", texts.memory, base::parse_bytes, s.memory_bytes)
        .and_then([&] { return read_text("disk-reserve", texts.disk_reserve, base::parse_bytes, s.disk_reserve_bytes); })
        .and_then([&] { return read_text("disk-high-water", texts.disk_high_water, parse_percent, s.disk_high_water_percent); });
}

} // namespace

base::expected<command_line> parse_command_line(const std::vector<std::string>& args, file_reader read_file) {
    command_line result;
    auto& s = result.options;
    option_texts texts;
    const auto table = option_table(s, texts).all();
    const auto default_accounts = std::exchange(s.accounts, {}); // options that compose add to what is there
    const auto action = read_options(args, read_file, table);
    if (!action) {
        return std::unexpected(action.error());
    }
    result.action = *action;
    if (result.action != serve_action::serve) {
        return result;
    }
    if (s.accounts.empty()) {
        s.accounts = default_accounts;
    }
    if (auto good = read_texts(texts, s).and_then([&] { return check_settings(s); }); !good) {
        return std::unexpected(good.error());
    }
    return result;
}

std::string help_text() {
    settings defaults;
    option_texts texts;
    const auto groups = option_table(defaults, texts);
    std::ostringstream out;
    out << "downtick serve [OPTIONS]: run the server; with no option at all it listens on loopback and keeps its data in "
           "./data\n\n"
        << groups.general << '\n'
        << groups.listen << '\n'
        << groups.resources << "\nEvery option can stand in the file of --config as well: `http-port = 8470`.\n";
    return out.str();
}

} // namespace server

// Everything a person can set about a server. One option table serves the command line and the configuration file, and the
// same table prints --help; a key that is not in it does not exist.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hh"

namespace server {

// The account and key that Azure's emulator made well known: development connection strings have it built in.
inline const std::string development_account =
    "devstoreaccount1:Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

struct settings {
    std::string data = "./data";
    std::string bind = "127.0.0.1";
    uint16_t http_port = 8470;
    uint16_t table_port = 10002;
    uint16_t blob_port = 10000;
    uint16_t line_port = 8094;
    uint16_t json_port = 8095;
    uint16_t graphite_port = 2003;
    uint16_t syslog_port = 5514;
    std::string syslog_source = "app";                      // or host, or fixed:NAME
    std::string syslog_zone = "UTC";                        // or an offset, or the name of a zone: of dates that say none
    std::vector<std::string> accounts{development_account}; // name:key or name:key:key, keys in base64
    bool allow_development_key = false;                     // beyond loopback
    unsigned smp = 0;                                       // shards; 0: every core this process may use
    unsigned partition_rate_max = 0;                        // entities a second of one partition; 0: no limit
    uint64_t disk_reserve_bytes = 256u << 20;               // writes are refused when less is free
    unsigned disk_high_water_percent = 0;                   // of the disk, used; 0: none
    bool disk_drop_oldest = false;                          // over it, tables that have a policy go; else writes are refused
    unsigned scrub_days = 7;                                // everything is verified so often; 0: only when asked
    unsigned own_metrics_seconds = 10;                      // the server's own figures become points so often; 0: never
    uint64_t memory_bytes = 0;                              // of the whole process; 0: a quarter of the machine
    std::string token;
    std::string tls_cert;
    std::string tls_key;
    bool allow_plain = false;                // TCP ports without TLS, beyond loopback
    std::map<std::string, unsigned> spreads; // by family; others have 1
    std::string log_level = "info";

    bool operator==(const settings&) const = default;
};

// What to do instead of serving.
enum class serve_action { serve, print_help, print_seastar_help };

struct command_line {
    serve_action action = serve_action::serve;
    settings options;
};

using file_reader = base::expected<std::string> (*)(const std::string& path);

// `args` are those after `serve`. The file named by --config is read through `read_file`; flags win over the file.
// Every mistake is one sentence that names the option and, for an unknown one, the nearest known.
base::expected<command_line> parse_command_line(const std::vector<std::string>& args, file_reader read_file);

// The text of `downtick serve --help`.
std::string help_text();

} // namespace server

// The Table port with the development account's key.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tests/torture/http_connection.hh"
#include "tests/torture/table_oracle.hh"
#include "tests/torture/wall_clock.hh"

namespace torture {

class table_client {
public:
    table_client(uint16_t port, const wall_clock& clock) : _connection(port), _clock(clock) {}

    // `path` is what follows the account. With SharedKeyLite, as of the server's clock.
    std::optional<http_reply> call(const std::string& method, const std::string& path, const std::string& body = {},
                                   std::map<std::string, std::string> fields = {});
    // A GET with what `forge` makes of the right signature; without one when that is nothing.
    std::optional<http_reply> call_forged(const std::string& path, const std::function<std::string(std::string)>& forge);

    // The status, with 204 for everything that went well; that of the failing step of a transaction. 0: no outcome. 503: refused.
    int change(const std::string& table, const table_change&);
    // Its rows, or those of a partition; nothing on errors other than a missing table, which is a state.
    std::optional<table_state> read(const std::string& table, std::string_view partition = {});

private:
    int send_step(const std::string& table, const step&);
    int send_transaction(const std::string& table, const std::vector<step>&);

    http_connection _connection;
    const wall_clock& _clock;
};

} // namespace torture

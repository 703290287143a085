// The Table port as the owner of the development account sees it: every call is signed with the account's key.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/torture/http_connection.hh"

namespace testing_lib {

class signed_client {
public:
    explicit signed_client(uint16_t table_port) : _connection(table_port) {}

    // `path` is what follows the account, escaped, with its query. Status 0: no answer came.
    torture::http_reply call(const std::string& method, const std::string& path, const std::string& body = {},
                             std::map<std::string, std::string> fields = {});

private:
    torture::http_connection _connection; // kept open from call to call
};

} // namespace testing_lib

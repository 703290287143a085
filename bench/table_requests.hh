// Requests of the Table service as an SDK sends them: signed with the shared key of the development account, bodies in JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// Of one table. An entity is known by its number: the same number is the same entity, of 1 KB.
class table_requests {
public:
    explicit table_requests(std::string table);

    std::string create_table();
    void insert(std::string& out, std::string_view partition, uint64_t number);
    // Inserts numbers first, first + 1, ... in one transaction.
    void insert_many(std::string& out, std::string_view partition, uint64_t first, unsigned count);
    void get(std::string& out, std::string_view partition, uint64_t number);
    // Greater numbers are newer.
    void newest(std::string& out, std::string_view partition, unsigned count);

private:
    void write_request(std::string& out, std::string_view method, std::string_view path, std::string_view query,
                       std::string_view content_type, std::string_view body);
    const std::string& date();

    std::string _table;
    std::string _key;
    std::string _body;
    std::string _signed, _signature; // the last text and what it is signed with
    int64_t _date_s = 0;
    std::string _date;
};

} // namespace bench

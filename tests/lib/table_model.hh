// What a table must do, in the plainest words: a map from keys to properties. The oracle of the engine's random tests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hh"
#include "tables/core/transaction.hh"

namespace testing_lib {

using model_row = std::map<std::string, int32_t>; // all properties of the random tests are Int32

struct model_entity {
    base::tick timestamp;
    model_row properties;
};

struct model_operation {
    tables::operation_kind kind;
    std::string row_key;
    std::optional<base::tick> if_match;
    model_row properties;
};

class table_model {
public:
    // The index of the operation that must fail and how; nothing: all of them must succeed.
    std::optional<std::pair<uint32_t, base::errc>> check(const std::string& partition_key,
                                                         const std::vector<model_operation>&) const;
    // After check() found nothing wrong.
    void apply(const std::string& partition_key, const std::vector<model_operation>&, base::tick timestamp);
    // A blind merge, or a put where `is_put`.
    void upsert(const std::string& partition_key, const std::string& row_key, const model_row&, bool is_put,
                base::tick timestamp);

    const std::map<std::pair<std::string, std::string>, model_entity>& entities() const { return _entities; }

private:
    std::map<std::pair<std::string, std::string>, model_entity> _entities;
};

} // namespace testing_lib

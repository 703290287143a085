// A row batch together with the bytes it is read from: what the engine hands to its callers.
#pragma once

#include <memory>
#include <string>

#include "tables/core/row_batch.hh"

namespace tables {

class owned_rows {
public:
    // corrupt, or newer_format.
    static base::expected<owned_rows> open(std::string batch) {
        auto bytes = std::make_unique<const std::string>(std::move(batch));
        auto reader = row_batch_reader::open(*bytes);
        if (!reader) {
            return std::unexpected(reader.error());
        }
        return owned_rows(std::move(bytes), std::move(*reader));
    }

    // Of what a builder in this process has made.
    static owned_rows of_built(std::string batch) {
        auto bytes = std::make_unique<const std::string>(std::move(batch));
        auto reader = row_batch_reader::open_built(*bytes);
        return owned_rows(std::move(bytes), std::move(reader));
    }

    const row_batch_reader& rows() const { return _reader; }

private:
    owned_rows(std::unique_ptr<const std::string> bytes, row_batch_reader reader)
        : _bytes(std::move(bytes)), _reader(std::move(reader)) {}

    std::unique_ptr<const std::string> _bytes; // on the heap, so that rows stay valid when this is moved
    row_batch_reader _reader;
};

} // namespace tables

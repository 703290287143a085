// Names of blobs in the container: `<source>/YYYY/MM/DD/HHMM/NNNNNN.log`, so that a listing by prefix is a listing by source and
// time. The source is made safe: letters, digits, '_' and '-' stay, and '.' where it is not the first; every other byte is %XX.
// An empty source is a percent sign alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "blobs/core/blob_footer.hh"

namespace blobs {

std::string safe_source(std::string_view source);
// The way back. Nothing when safe_source never gives this.
std::optional<std::string> parse_safe_source(std::string_view safe);

// Needs: a period that begins at a full minute.
std::string blob_name(const blob_identity&);
// Nothing for any other name.
std::optional<blob_identity> parse_blob_name(std::string_view);

} // namespace blobs

// An edit that parses is one that encodes to the same bytes again.
#include <cstdlib>

#include "shard/core/manifest_edit.hh"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto edit = shard::decode_manifest_edit(bytes);
    if (edit && shard::encode(*edit) != bytes) {
        std::abort();
    }
    return 0;
}

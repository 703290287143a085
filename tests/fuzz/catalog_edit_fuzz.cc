// An edit that parses is one that encodes to the same meaning again.
#include <cstdlib>

#include "tables/core/catalog_edit.hh"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto edit = tables::decode_catalog_edit({reinterpret_cast<const char*>(data), size});
    if (edit && tables::decode_catalog_edit(tables::encode(*edit)) != *edit) {
        std::abort();
    }
    return 0;
}

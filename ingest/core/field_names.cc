#include "ingest/core/field_names.hh"

namespace ingest {

void field_names::learn(std::span<const tables::property> fields) {
    _text.clear();
    _ends.clear();
    for (const auto& field : fields) {
        if (_text.size() + field.name.size() >= bytes_max) {
            return;
        }
        _text += field.name;
        _text += '=';
        _ends.push_back(static_cast<uint32_t>(_text.size()));
    }
}

} // namespace ingest

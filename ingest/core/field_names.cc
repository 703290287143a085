#include "ingest/core/field_names.hh"

namespace ingest {

void field_names::learn(std::span<const tables::property> fields, uint64_t serial) {
    _text.clear();
    _begins.resize(1);
    _serial = serial;
    for (const auto& field : fields) {
        if (_text.size() + field.name.size() >= bytes_max) {
            break;
        }
        _text += field.name;
        _text += '=';
        _begins.push_back(static_cast<uint32_t>(_text.size()));
    }
    _text.append(piece_bytes, '\0');
}

} // namespace ingest

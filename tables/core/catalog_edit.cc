#include "tables/core/catalog_edit.hh"

#include "base/coding.hh"

namespace tables {
namespace {

enum class edit_kind : uint8_t { create = 1, drop = 2, next_id = 3, attribute = 4 };

void put_kind(std::string& out, edit_kind kind) {
    base::put_fixed(out, static_cast<uint8_t>(kind));
}

void put_tick(std::string& out, base::tick t) {
    base::put_fixed(out, static_cast<uint64_t>(t.value));
}

struct encoder {
    std::string& out;

    void operator()(const create_table_edit& e) {
        put_kind(out, edit_kind::create);
        base::put_varint(out, e.table.id.value);
        put_tick(out, e.table.created);
        base::put_bytes(out, e.table.account);
        base::put_bytes(out, e.table.name);
        base::put_fixed(out, static_cast<uint8_t>(e.table.family.has_value()));
        if (const auto& family = e.table.family) {
            base::put_bytes(out, family->family);
            base::put_fixed(out, static_cast<uint8_t>(family->period));
            put_tick(out, family->period_start);
            base::put_varint(out, family->spread);
        }
    }
    void operator()(const drop_table_edit& e) {
        put_kind(out, edit_kind::drop);
        base::put_varint(out, e.id.value);
    }
    void operator()(const next_id_edit& e) {
        put_kind(out, edit_kind::next_id);
        base::put_varint(out, e.id.value);
    }
    void operator()(const attribute_edit& e) {
        put_kind(out, edit_kind::attribute);
        base::put_varint(out, e.id.value);
        base::put_bytes(out, e.account);
        base::put_bytes(out, e.key);
        base::put_bytes(out, e.value);
    }
};

base::tick take_tick(base::byte_reader& in) {
    return base::tick{static_cast<int64_t>(in.fixed<uint64_t>())};
}

std::optional<family_binding> take_family(base::byte_reader& in) {
    const auto flag = in.fixed<uint8_t>();
    if (flag > 1) {
        in.set_failed();
    }
    if (flag != 1) {
        return std::nullopt;
    }
    family_binding family;
    family.family = in.bytes();
    const auto period = in.fixed<uint8_t>();
    if (period < static_cast<uint8_t>(period_kind::hour) || period > static_cast<uint8_t>(period_kind::month)) {
        in.set_failed();
    }
    family.period = static_cast<period_kind>(period);
    family.period_start = take_tick(in);
    family.spread = static_cast<uint32_t>(in.varint());
    return family;
}

catalog_edit take_create(base::byte_reader& in) {
    create_table_edit e;
    e.table.id = base::table_id{in.varint()};
    e.table.created = take_tick(in);
    e.table.account = in.bytes();
    e.table.name = in.bytes();
    e.table.family = take_family(in);
    return e;
}

catalog_edit take_attribute(base::byte_reader& in) {
    attribute_edit e;
    e.id = base::table_id{in.varint()};
    e.account = in.bytes();
    e.key = in.bytes();
    e.value = in.bytes();
    return e;
}

} // namespace

std::string encode(const catalog_edit& edit) {
    std::string out;
    std::visit(encoder{out}, edit);
    return out;
}

base::expected<catalog_edit> decode_catalog_edit(std::string_view bytes) {
    base::byte_reader in(bytes);
    catalog_edit edit;
    switch (static_cast<edit_kind>(in.fixed<uint8_t>())) {
    case edit_kind::create: edit = take_create(in); break;
    case edit_kind::drop: edit = drop_table_edit{base::table_id{in.varint()}}; break;
    case edit_kind::next_id: edit = next_id_edit{base::table_id{in.varint()}}; break;
    case edit_kind::attribute: edit = take_attribute(in); break;
    default: in.set_failed();
    }
    if (!in.done()) {
        return base::fail(base::errc::corrupt, "an edit of the catalog does not parse");
    }
    return edit;
}

} // namespace tables

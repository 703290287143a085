// Edit log files from arbitrary bytes: as they are, and as damage done to a log whose history is known.

#include <algorithm>
#include <cstdlib>

#include "base/coding.hh"
#include "shard/core/edit_merge.hh"

namespace {

constexpr size_t file_bytes = 2 * shard::edit_block_bytes;
const shard::edit_header header{.log_id = 9, .generation = 4, .snapshot_count = 2};

void require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

std::vector<std::string> merge(const std::array<std::string, 2>& copies, std::vector<shard::edit_repair>* repairs = nullptr) {
    shard::edit_merger merger({copies[0], copies[1]}, header);
    std::vector<std::string> edits;
    while (const auto edit = merger.next()) {
        edits.emplace_back(*edit);
    }
    require(merger.end() <= file_bytes);
    if (repairs) {
        *repairs = merger.repairs();
    }
    return edits;
}

void read_as_it_is(std::string_view input) {
    if (const auto frame = shard::parse_edit_frame(input, 0)) {
        std::string again;
        shard::put_edit_frame(again, 0, *frame);
        require(again == input.substr(0, again.size()));
    }
    if (const auto parsed = shard::parse_edit_header(input)) {
        require(shard::parse_edit_header(shard::encode_edit_header(*parsed)) == parsed);
    }
    auto bytes = shard::encode_edit_header(header) + std::string(input.substr(0, file_bytes - shard::edit_block_bytes));
    bytes.resize(file_bytes);
    merge({bytes, bytes});
}

// Each four bytes: which copy, where, and what to put there.
void damage_a_known_history(std::string_view input) {
    const std::vector<std::string> sent{"create cpu", "create mem", "drop cpu", std::string(300, 'x'), "", "create cpu"};
    auto whole = shard::encode_edit_header(header);
    for (size_t i = 0; i < sent.size(); ++i) {
        shard::put_edit_frame(whole, shard::edit_seed(header), {.number = i + 1, .durable = i, .edit = sent[i]});
    }
    const auto used = whole.size();
    whole.resize(file_bytes);
    std::array<std::string, 2> copies{whole, whole};
    base::byte_reader in(input);
    while (in.remaining() >= 4) {
        const auto where = in.fixed<uint16_t>();
        const auto copy = in.fixed<uint8_t>() % 2;
        copies[copy][shard::edit_block_bytes + where % (used - shard::edit_block_bytes)] = static_cast<char>(in.fixed<uint8_t>());
    }
    const bool is_one_whole = copies[0] == whole || copies[1] == whole;
    std::vector<shard::edit_repair> repairs;
    const auto found = merge(copies, &repairs);
    size_t next = 0;
    for (const auto& edit : found) {
        while (next < sent.size() && sent[next] != edit) {
            ++next;
        }
        require(next++ < sent.size());
    }
    shard::apply_repairs(copies, repairs);
    require(merge(copies) == found);
    if (is_one_whole) {
        require(found == sent && copies[0] == whole && copies[1] == whole);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    read_as_it_is(input);
    damage_a_known_history(input);
    return 0;
}

#include <fmt/format.h>

#include "base/ticks.hh"
#include "blobs/core/blob_name.hh"
#include "blobs/core/blob_view.hh"
#include "blobs/core/file/blob_directory.hh"
#include "cli/inspect.hh"

namespace cli {
namespace {

using namespace blobs;

// One blob with everything in it read, as a server would.
class blob_check {
public:
    blob_check(std::string_view bytes, bool prints_rows) : _bytes(bytes), _prints_rows(prints_rows) {}

    bool run() {
        const auto end = _bytes.substr(_bytes.size() - std::min(_bytes.size(), blob_layout::trailers_bytes));
        const auto trailer = blob_trailer::parse(end, _bytes.size());
        const auto opened = trailer ? blob_view::open(*trailer, part(trailer->footers())) : std::unexpected(trailer.error());
        if (!opened) {
            return tell("footer", opened.error());
        }
        const auto& footer = opened->footer();
        fmt::print("blob {}: {} records, {} bytes of text in {} bytes, {} blocks\n  times {} to {}\n", blob_name(footer.identity),
                   footer.records_count(), footer.raw_bytes(), _bytes.size(), footer.blocks.size(),
                   base::to_text(base::tick_from_unix_ns(footer.first_ns())),
                   base::to_text(base::tick_from_unix_ns(footer.last_ns())));
        for (size_t i = 0; i < opened->blocks().size(); ++i) {
            check_block(*opened, i);
        }
        return _is_sound;
    }

private:
    std::string_view part(blob_extent e) const {
        return e.offset > _bytes.size() ? std::string_view() : _bytes.substr(e.offset, e.size);
    }

    bool tell(const std::string& where, const base::error& e) {
        fmt::print("  DAMAGE in {}: {}\n", where, base::to_string(e));
        return _is_sound = false;
    }

    void check_block(const blob_view& blob, size_t i) {
        auto read = blob.open_block(i, part(blob.blocks()[i].extent), _reader);
        std::string text;
        if (read) {
            read = _reader.read_raw(text);
        }
        if (!read) {
            tell(fmt::format("block {}", i), read.error());
        } else if (_prints_rows) {
            fmt::print("{}", text);
        }
    }

    std::string_view _bytes;
    bool _prints_rows;
    bool _is_sound = true;
    block_reader _reader;
};

base::expected<blob_directory> directory_of(std::string_view content) {
    const auto tail = content.substr(content.size() - std::min(content.size(), blob_directory::tail_bytes));
    const auto bytes = blob_directory::end_bytes(tail);
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    return blob_directory::parse(content.substr(content.size() - std::min(content.size(), *bytes)), content.size());
}

} // namespace

verdict inspect_blobs(const inspected_file& file) {
    if (!file.path.ends_with(".blobs")) {
        return verdict::other_kind;
    }
    const auto directory = directory_of(file.content);
    if (!directory) {
        fmt::print("{}: {}\n", file.path, base::to_string(directory.error()));
        return verdict::damaged;
    }
    bool is_sound = true;
    for (const auto& b : directory->blobs) {
        is_sound &= blob_check(std::string_view(file.content).substr(b.extent.offset, b.extent.size), file.prints_rows).run();
    }
    return is_sound ? verdict::sound : verdict::damaged;
}

} // namespace cli

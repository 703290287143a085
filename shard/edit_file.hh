// One file of an edit log: whole blocks in, whole blocks out. Failures are std::system_error, as from the disk itself.
#pragma once

#include <string>
#include <string_view>

#include "shard/disk.hh"

namespace shard {

class edit_file {
public:
    edit_file() = default;

    // Created when it is not there; then its name is not durable yet. Must be closed.
    seastar::future<> open(disk&, std::string path);
    seastar::future<> close();

    // Whole blocks; what is beyond needs space on the disk to be written.
    uint64_t size_bytes() const { return _size_bytes; }

    // The first `length` bytes. What lies beyond the end is zeros; a block that cannot be read is bytes of 0xff, so that it
    // counts as damaged and not as empty.
    seastar::future<std::string> read(uint64_t length);
    // Whole blocks at a multiple of a block; `bytes` must stay alive until this resolves. Not durable before flush().
    seastar::future<> write(uint64_t position, std::string_view bytes);
    // Fills with zeros from here on; `size` is a whole number of blocks. Afterwards writes below `size` need no space.
    seastar::future<> extend(uint64_t size);
    seastar::future<> wipe(uint64_t begin, uint64_t end);
    seastar::future<> flush() { return _file->flush(); }

private:
    file_ptr _file;
    uint64_t _size_bytes = 0;
};

} // namespace shard

// One byte of a file on the disk is not what it was. To be used while no server runs.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace torture {

class damaged_block {
public:
    // Some byte of some segment or blob below `data`; nothing when there is none yet.
    static std::optional<damaged_block> in(const std::string& data, std::mt19937_64& random);

    std::string describe() const;
    // Makes it what it was, should the file still be there.
    void mend() const { flip(); }

private:
    damaged_block(std::string path, uint64_t position, uint8_t bits) : _path(std::move(path)), _position(position), _bits(bits) {}
    void flip() const;

    std::string _path;
    uint64_t _position;
    uint8_t _bits; // that differ
};

} // namespace torture

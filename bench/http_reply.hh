// One HTTP/1.1 reply as its bytes come in: with a length, in chunks, or without a body.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bench {

class http_reply_reader {
public:
    // Forgets the reply before.
    void reset();
    enum class received { something, nothing_yet, end };
    // Takes what a socket has, a piece of it.
    received receive(int fd);
    // Goes on through what came; true once the reply is whole.
    bool advance();

    int status() const { return _status; }
    // Of a whole reply; lives until reset().
    std::string_view body() const;

private:
    enum class stage { head, sized, chunks, whole };

    bool read_head();
    bool read_sized();
    bool read_chunk();

    stage _stage = stage::head;
    int _status = 0;
    std::string _in;
    size_t _at = 0;   // what is behind it is not looked at yet
    size_t _size = 0; // of a sized body
    std::string _chunks;
    bool _is_chunked = false;
};

} // namespace bench

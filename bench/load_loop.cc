#include "bench/load_loop.hh"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/http_reply.hh"
#include "bench/socket.hh"

namespace bench {
namespace {

using clock = latencies::clock;

constexpr auto last_answers_wait = std::chrono::seconds(10);

struct connection {
    load_group* group;
    int fd = -1;
    std::string out = {};
    size_t sent = 0;
    http_reply_reader reply = {};
    clock::time_point due = {};
};

class loop {
public:
    loop(uint16_t port, std::vector<load_group>& groups, double seconds)
        : _poll(::epoll_create1(0)), _start(clock::now()),
          _end(_start + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds))) {
        for (auto& group : groups) {
            _paces.push_back({&group, {}, _start, 0});
            for (unsigned i = 0; i < group.connections; ++i) {
                add_connection(port, group);
            }
        }
    }
    loop(const loop&) = delete;
    loop& operator=(const loop&) = delete;

    ~loop() {
        for (const auto& c : _connections) {
            ::close(c->fd);
        }
        ::close(_poll);
    }

    void run() {
        for (const auto& c : _connections) {
            is_paced(*c) ? rest(*c) : begin(*c, clock::now());
        }
        std::array<::epoll_event, 64> events;
        while (clock::now() < _end || (_under_way > 0 && clock::now() < _end + last_answers_wait)) {
            send_due();
            const auto wait = patience();
            const int count = ::epoll_pwait2(_poll, events.data(), static_cast<int>(events.size()), &wait, nullptr);
            for (int i = 0; i < count; ++i) {
                turn(*static_cast<connection*>(events[static_cast<size_t>(i)].data.ptr));
            }
        }
        const double took = std::chrono::duration<double>(clock::now() - _start).count();
        for (const auto& p : _paces) {
            p.group->seconds = took;
        }
        if (_under_way > 0) {
            std::fprintf(stderr, "bench: %zu requests were never answered\n", _under_way);
        }
    }

private:
    // Who of a group is free, and when its next request is due.
    struct pace {
        load_group* group;
        std::vector<connection*> idle;
        clock::time_point next;
        uint64_t count;
    };

    static bool is_paced(const connection& c) { return c.group->requests_per_second > 0; }

    // Until the next request of a group at a pace is due.
    ::timespec patience() const {
        auto wait = std::chrono::nanoseconds(std::chrono::milliseconds(100));
        for (const auto& p : _paces) {
            if (p.group->requests_per_second > 0 && !p.idle.empty() && p.next < _end) {
                wait = std::clamp<std::chrono::nanoseconds>(p.next - clock::now(), std::chrono::nanoseconds(0), wait);
            }
        }
        return {0, static_cast<long>(wait.count())};
    }

    void add_connection(uint16_t port, load_group& group) {
        auto& c = *_connections.emplace_back(std::make_unique<connection>(&group));
        c.fd = connect_to(port);
        ::fcntl(c.fd, F_SETFL, ::fcntl(c.fd, F_GETFL) | O_NONBLOCK);
        ::epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.ptr = &c}};
        ::epoll_ctl(_poll, EPOLL_CTL_ADD, c.fd, &event);
    }

    void rest(connection& c) {
        for (auto& p : _paces) {
            if (p.group == c.group) {
                p.idle.push_back(&c);
            }
        }
    }

    void send_due() {
        for (auto& p : _paces) {
            if (p.group->requests_per_second == 0) {
                continue;
            }
            while (!p.idle.empty() && p.next <= clock::now() && clock::now() < _end) {
                auto& c = *p.idle.back();
                p.idle.pop_back();
                begin(c, p.next);
                p.next = _start + std::chrono::nanoseconds(
                                      static_cast<int64_t>(1e9 * static_cast<double>(++p.count) / p.group->requests_per_second));
            }
        }
    }

    void begin(connection& c, clock::time_point due) {
        c.out.clear();
        c.sent = 0;
        c.reply.reset();
        c.due = due;
        c.group->write_request(c.out);
        ++_under_way;
        send(c);
    }

    // A failure shows again when the reply is read.
    static void send(connection& c) {
        while (c.sent < c.out.size()) {
            const auto count = ::send(c.fd, c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL);
            if (count <= 0) {
                return;
            }
            c.sent += static_cast<size_t>(count);
        }
    }

    void lose(connection& c) {
        ::epoll_ctl(_poll, EPOLL_CTL_DEL, c.fd, nullptr);
        ++c.group->lost;
        _under_way -= c.out.empty() ? 0 : 1;
        for (auto& p : _paces) {
            std::erase(p.idle, &c);
        }
    }

    // Events come at edges: everything the socket has, its end included, is taken now or never.
    void turn(connection& c) {
        send(c);
        while (true) {
            if (!c.out.empty() && c.reply.advance()) {
                finish(c);
                continue;
            }
            switch (c.reply.receive(c.fd)) {
            case http_reply_reader::received::something: break;
            case http_reply_reader::received::nothing_yet: return;
            case http_reply_reader::received::end: return lose(c);
            }
        }
    }

    void finish(connection& c) {
        count_reply(c);
        --_under_way;
        c.out.clear();
        c.sent = 0;
        if (is_paced(c)) {
            rest(c);
        } else if (clock::now() < _end) {
            begin(c, clock::now());
        }
    }

    static void count_reply(connection& c) {
        auto& group = *c.group;
        if (c.reply.status() == group.status_wanted) {
            ++group.done;
            group.took.add(clock::now() - c.due);
        } else if (c.reply.status() == 503) {
            ++group.refused;
        } else if (group.failed++ == 0) {
            std::fprintf(stderr, "bench: status %d: %.400s\n", c.reply.status(), std::string(c.reply.body()).c_str());
        }
    }

    int _poll;
    clock::time_point _start;
    clock::time_point _end;
    std::vector<std::unique_ptr<connection>> _connections;
    std::vector<pace> _paces;
    size_t _under_way = 0;
};

} // namespace

void run_load(uint16_t port, std::vector<load_group>& groups, double seconds) {
    loop(port, groups, seconds).run();
}

} // namespace bench

#include "tests/torture/full_disk.hh"

#include <thread>

#include <fmt/format.h>

#include "tests/torture/http_stream_load.hh"
#include "tests/torture/stream_oracle.hh"
#include "tests/torture/subject.hh"
#include "tests/torture/table_client.hh"

namespace torture {
namespace {

constexpr uint64_t batch_entries = 1'000;
// Enough to use up what was made ready before the disk was full.
constexpr auto fill_patience = std::chrono::seconds(30);
constexpr auto resume_patience = std::chrono::seconds(20);
// The server keeps no reserve here: the disk itself is what says no.
const start_options without_reserve{.shards = 2, .memory_mib = 256, .more = {"--disk-reserve", "0"}};

class full_disk_run {
public:
    full_disk_run(small_disk& d, wall_clock& clock, verdict& v)
        : _disk(d), _verdict(v), _subject(d.path() + "/data", clock, v),
          _place{stream_place::kind::family, fmt::format("full{}", _runs_count++), stream_begin_ns()}, _oracle(_place.name, v) {}

    void run() {
        if (!_subject.start(without_reserve)) {
            return;
        }
        write(1);
        change_doomed({table_change::kind::create}, 204);
        _disk.fill();
        const int refusal = write_until_refused();
        if (refusal != 507 && refusal != 503) {
            _verdict.violated("P7", fmt::format("a full disk was answered with {}", refusal));
        }
        check("on a full disk");
        change_doomed({table_change::kind::drop}, 204);
        _subject.kill();
        _disk.fill(); // whatever the kill has freed
        if (!_subject.start(without_reserve)) {
            return;
        }
        check("after a start on a full disk");
        change_doomed({table_change::kind::drop}, 404);
        _disk.make_room();
        wait_until_taken();
        _subject.kill();
        if (_subject.start(without_reserve)) {
            check("after the disk was full");
            _subject.end();
        }
    }

private:
    int write(uint64_t count) {
        http_connection c(_subject.at().native_port);
        const auto first = _oracle.begin_sending(count);
        std::string body;
        for (auto n = first; n < first + count; ++n) {
            body += line_of(_place, n);
        }
        const auto reply = c.send({.method = "POST", .target = "/write", .body = body});
        if (reply && reply->is_ok()) {
            _oracle.acknowledged(first, count);
        }
        return reply ? reply->status : 0;
    }

    int write_until_refused() {
        const auto patience = std::chrono::steady_clock::now() + fill_patience;
        int status = 204;
        while (status == 204 && std::chrono::steady_clock::now() < patience) {
            status = write(batch_entries);
        }
        return status;
    }

    void check(const std::string& where) {
        http_connection c(_subject.at().native_port);
        const auto owed = _oracle.owed(0, _oracle.sent_count());
        const auto found = read_range(c, _place, 0, owed.size(), _verdict);
        if (!found) {
            _verdict.violated("P7", where + ": nothing can be read");
            return;
        }
        _oracle.check(0, owed.size(), owed, *found, where);
    }

    void change_doomed(const table_change& change, int due) {
        table_client client(_subject.at().table_port, _subject.at().clock);
        if (const int status = client.change("Doomed", change); status != due) {
            _verdict.violated("P7", fmt::format("a table to be dropped on a full disk: answered {}, {} was due", status, due));
        }
    }

    void wait_until_taken() {
        const auto patience = std::chrono::steady_clock::now() + resume_patience;
        while (write(1) != 204) {
            if (std::chrono::steady_clock::now() > patience) {
                _verdict.violated("P7", "there is space again, and writes are still refused");
                return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }

    static inline unsigned _runs_count = 0;

    small_disk& _disk;
    verdict& _verdict;
    subject _subject;
    const stream_place _place;
    stream_oracle _oracle;
};

} // namespace

void run_full_disk(small_disk& d, wall_clock& clock, verdict& v) {
    v.count_fault("full disk");
    full_disk_run(d, clock, v).run();
}

} // namespace torture

// A disk that is much smaller than what is written to it: with a policy the oldest goes and the server stays up, without one
// writes end with a clear error until somebody makes room.

#include <cstring>
#include <random>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/server/server_process.hh"

namespace {

using namespace testing_lib;
using ::testing::HasSubstr;
using clock = std::chrono::steady_clock;

constexpr uint64_t mb = 1u << 20;
constexpr uint64_t disk_bytes = 256 * mb;
// Rows in memory still go to segments when nothing new is taken, and need a log file beside them.
constexpr uint64_t reserve_bytes = 72 * mb;
constexpr int64_t hour_s = 3'600;

void write_file(const char* path, const std::string& text) {
    const int fd = ::open(path, O_WRONLY);
    [[maybe_unused]] const auto written = ::write(fd, text.data(), text.size());
    ::close(fd);
}

// A file system of a size in memory, seen by this process and its children only. Not root: in a user namespace of its own.
class small_disk {
public:
    small_disk() {
        const auto user = fmt::format("0 {} 1", ::getuid());
        const auto group = fmt::format("0 {} 1", ::getgid());
        static const bool is_private = [&] {
            if (::geteuid() == 0) {
                return ::unshare(CLONE_NEWNS) == 0;
            }
            if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
                return false;
            }
            write_file("/proc/self/setgroups", "deny");
            write_file("/proc/self/uid_map", user);
            write_file("/proc/self/gid_map", group);
            return true;
        }();
        // Fails where the root is no mount point, as in the toolchain root; that one is apart already.
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        _is_mounted =
            is_private && ::mount("tmpfs", _place.path().c_str(), "tmpfs", 0, fmt::format("size={}", disk_bytes).c_str()) == 0;
        _why_not = _is_mounted ? "" : std::strerror(errno);
    }
    ~small_disk() {
        if (_is_mounted) {
            ::umount2(_place.path().c_str(), MNT_DETACH);
        }
    }

    bool is_mounted() const { return _is_mounted; }
    const std::string& why_not() const { return _why_not; }
    std::string path() const { return _place.path(); }
    uint64_t free_bytes() const {
        struct statvfs facts{};
        ::statvfs(path().c_str(), &facts);
        return facts.f_bavail * facts.f_frsize;
    }

private:
    temporary_directory _place;
    bool _is_mounted = false;
    std::string _why_not;
};

struct small_server : running_server {
    small_server(const small_disk& disk, std::vector<std::string> more)
        : running_server(
              disk.path(),
              with({"--smp", "1", "--memory", "128M", "--disk-reserve", fmt::format("{}M", reserve_bytes / mb)}, more)) {}

    static std::vector<std::string> with(std::vector<std::string> some, const std::vector<std::string>& more) {
        some.insert(some.end(), more.begin(), more.end());
        return some;
    }
    cli::response call(std::string method, std::string path, std::string body = {}) {
        auto reply =
            cli::send({"127.0.0.1", port}, {.method = std::move(method), .path = std::move(path), .body = std::move(body)});
        return reply ? *reply : cli::response{0, base::to_string(reply.error()), {}};
    }
};

// Points of one hour, that hardly compress: so that the disk sees what was sent.
class filler {
public:
    std::string lines(int64_t start_s) {
        constexpr int rows = 500;
        constexpr size_t text_bytes = 2'000;
        std::string text;
        text.reserve(rows * (text_bytes + 40));
        for (int i = 0; i < rows; ++i) {
            fmt::format_to(std::back_inserter(text), "big,host=h{} v=\"", i % 4);
            const auto at = text.size();
            text.resize(at + text_bytes);
            fill(text.data() + at, text_bytes);
            fmt::format_to(std::back_inserter(text), "\" {}\n", start_s * 1'000 + _row++ % (hour_s * 1'000));
        }
        return text;
    }

private:
    void fill(char* to, size_t size) {
        constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        for (size_t i = 0; i < size; i += 8) {
            auto bits = _random();
            for (size_t j = i; j < std::min(size, i + 8); ++j, bits >>= 6) {
                to[j] = letters[bits & 63];
            }
        }
    }

    std::mt19937_64 _random{7};
    int64_t _row = 0;
};

int64_t this_hour_s() {
    return std::chrono::duration_cast<std::chrono::hours>(std::chrono::system_clock::now().time_since_epoch()).count() * hour_s;
}

// Retries what is refused for a while; the last reply.
cli::response write_patiently(small_server& server, const std::string& lines, std::chrono::seconds patience, size_t& refusals) {
    const auto end = clock::now() + patience;
    for (;;) {
        const auto reply = server.call("POST", "/write?precision=ms", lines);
        const bool is_refused = reply.status == 503 || reply.status == 507; // too fast, no room
        if (!is_refused || clock::now() > end) {
            return reply;
        }
        ++refusals;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

#define NEEDS_SMALL_DISK(disk)                                                                                                   \
    if (!(disk).is_mounted()) {                                                                                                  \
        GTEST_SKIP() << "no small file system can be mounted here: " << (disk).why_not();                                        \
    }

TEST(small_disk, ten_times_its_size_goes_through_when_the_oldest_may_go) {
    const small_disk disk;
    NEEDS_SMALL_DISK(disk);
    small_server server(disk, {"--disk-high-water", "50%", "--disk-drop-oldest"});
    ASSERT_EQ(server.call("PUT", "/v1/retention/big", R"({"period":"1h","keep":"30d"})").status, 200);
    constexpr int hours = 100;
    const auto oldest = this_hour_s() - hours * hour_s;
    filler points;
    size_t refusals = 0;
    uint64_t sent = 0, least_free = disk_bytes;
    for (int hour = 0; hour <= hours; ++hour) {
        while (sent < 10 * disk_bytes / hours * static_cast<uint64_t>(hour)) {
            const auto lines = points.lines(oldest + hour * hour_s);
            const auto reply = write_patiently(server, lines, std::chrono::seconds(10), refusals);
            ASSERT_EQ(reply.status, 204) << reply.body << server.process.output();
            sent += lines.size();
            least_free = std::min(least_free, disk.free_bytes());
        }
    }
    const auto newest_ms = (oldest + (hours + 1) * hour_s) * 1'000 - 1;
    ASSERT_EQ(
        write_patiently(server, fmt::format("big,host=h0 v=\"last\" {}\n", newest_ms), std::chrono::seconds(10), refusals).status,
        204);
    EXPECT_GE(sent, 10 * disk_bytes - mb);
    EXPECT_GT(least_free, 0u) << "never full";
    EXPECT_TRUE(server.process.is_running());
    EXPECT_THAT(server.call("GET", "/v1/tail?from=big&n=1").body, HasSubstr("\"v\":\"last\""));
    EXPECT_THAT(server.call("GET", fmt::format("/v1/range?from=big&start={}&end={}&limit=1", oldest, oldest + hour_s)).body,
                HasSubstr("\"rows\":[]"))
        << "the oldest hour is gone";
    fmt::print("{} MB sent, {} refused for a moment, at least {} MB free\n", sent / mb, refusals, least_free / mb);
}

TEST(small_disk, without_a_policy_errors_are_clear_and_room_is_enough_to_go_on) {
    const small_disk disk;
    NEEDS_SMALL_DISK(disk);
    small_server server(disk, {});
    filler points;
    ASSERT_EQ(
        server.call("POST", "/write?precision=ms", "big,host=first v=\"first\" " + fmt::format("{}\n", this_hour_s() * 1'000))
            .status,
        204);
    cli::response reply{204, {}, {}};
    for (uint64_t sent = 0; (reply.status == 204 || reply.status == 503) && sent < 10 * disk_bytes;) {
        const auto lines = points.lines(this_hour_s());
        reply = server.call("POST", "/write?precision=ms", lines);
        sent += lines.size();
    }
    EXPECT_EQ(reply.status, 507) << reply.body;
    EXPECT_THAT(reply.body, HasSubstr("reserve"));
    EXPECT_GT(disk.free_bytes(), 0u);
    EXPECT_THAT(server.call("GET", "/v1/range?from=big&where=v%20eq%20%27first%27&limit=1").body, HasSubstr("first"))
        << "reads go on";
    const auto tables = server.call("GET", "/v1/tables").body;
    const auto name = tables.substr(tables.find("\"name\":\"") + 8);
    ASSERT_EQ(server.call("DELETE", "/v1/tables/" + name.substr(0, name.find('"'))).status, 200) << "so do drops";
    size_t refusals = 0;
    EXPECT_EQ(write_patiently(server, "big,host=h0 v=\"again\"\n", std::chrono::seconds(20), refusals).status, 204)
        << "writing resumes by itself";
    EXPECT_THAT(server.call("GET", "/v1/tail?from=big&n=1").body, HasSubstr("again"));
    EXPECT_TRUE(server.process.is_running());
}

} // namespace

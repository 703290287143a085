// Runs GoogleTest inside the reactor: every test body is a Seastar thread, so it may call get() on a future.
// Takes --smp N; everything else goes to GoogleTest.

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <seastar/core/app-template.hh>
#include <seastar/core/thread.hh>

namespace {

// More shards than this machine has cores: Seastar refuses, so it is shown a machine that has them. Nothing is pinned.
unsigned pretended_cores = 0;

void pretend_cores(unsigned count) {
    const long real = sysconf(_SC_NPROCESSORS_ONLN);
    if (static_cast<long>(count) > real) {
        pretended_cores = count;
        setenv("HWLOC_SYNTHETIC", ("[numa(memory=8GB)] pu:" + std::to_string(count)).c_str(), 1);
        setenv("HWLOC_THISSYSTEM", "1", 1);
    }
}

} // namespace

// Stands before the C library's, which Seastar asks for its cores.
extern "C" int pthread_getaffinity_np(pthread_t, size_t size, cpu_set_t* set) noexcept {
    if (pretended_cores == 0) {
        return sched_getaffinity(0, size, set) == 0 ? 0 : errno;
    }
    CPU_ZERO_S(size, set);
    for (unsigned i = 0; i < pretended_cores; ++i) {
        CPU_SET_S(i, size, set);
    }
    return 0;
}

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    std::string shards = "1";
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string_view(argv[i]) == "--smp") {
            shards = argv[i + 1];
        }
    }
    pretend_cores(static_cast<unsigned>(std::stoul(shards)));
    std::vector<std::string> args{argv[0],
                                  "--smp",
                                  shards,
                                  "--memory",
                                  "1G",
                                  "--overprovisioned",
                                  "--max-networking-io-control-blocks",
                                  "200",
                                  "--default-log-level",
                                  "error",
                                  "--blocked-reactor-notify-ms",
                                  "2000"};
    std::vector<char*> pointers;
    for (auto& arg : args) {
        pointers.push_back(arg.data());
    }
    seastar::app_template::config config;
    config.auto_handle_sigint_sigterm = false;
    seastar::app_template app(std::move(config));
    return app.run(static_cast<int>(pointers.size()), pointers.data(),
                   [] { return seastar::async([] { return RUN_ALL_TESTS(); }); });
}

// Runs GoogleTest inside the reactor: every test body is a Seastar thread, so it may call get() on a future.
// Takes --smp N; everything else goes to GoogleTest.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <seastar/core/app-template.hh>
#include <seastar/core/thread.hh>

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    std::string shards = "1";
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string_view(argv[i]) == "--smp") {
            shards = argv[i + 1];
        }
    }
    std::vector<std::string> args{argv[0],
                                  "--smp",
                                  shards,
                                  "--memory",
                                  "1G",
                                  "--overprovisioned",
                                  "--max-networking-io-control-blocks",
                                  "200",
                                  "--default-log-level",
                                  "fatal",
                                  "--blocked-reactor-notify-ms",
                                  "2000"};
    std::vector<char*> pointers;
    for (auto& arg : args) {
        pointers.push_back(arg.data());
    }
    seastar::app_template::config config;
    config.auto_handle_sigint_sigterm = false;
    seastar::app_template app(std::move(config));
    return app.run(static_cast<int>(pointers.size()), pointers.data(), [] { return seastar::async([] { return RUN_ALL_TESTS(); }); });
}

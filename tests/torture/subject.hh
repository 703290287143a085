// The server under test: started on its data as often as the schedule wants, killed, ended, paused, watched.
#pragma once

#include <memory>
#include <string>

#include "tests/server/server_process.hh"
#include "tests/torture/load.hh"

namespace torture {

struct start_options {
    unsigned shards = 2;
    unsigned memory_mib = 256;
    bool in_cgroup = false;
    std::vector<std::string> more = {};
};

class subject {
public:
    subject(std::string data, wall_clock&, verdict&);
    ~subject();

    const std::string& data() const { return _data; }

    // P4: it starts, whatever was done to it. False when it does not, which is a violation.
    bool start(const start_options&);
    site& at() { return *_site; }
    // Killed while it starts, before it is ready or just then.
    void start_and_kill(const start_options&, std::chrono::milliseconds after);

    // SIGSTOP, and SIGCONT after a while.
    void pause(std::chrono::milliseconds);
    void kill();
    // P4: it must end by itself, and well.
    void end();

    // The last warnings and errors it has logged since it was started, for a person who looks into a violation.
    std::string complaints();

    // P5: its resident memory against the figure. To be called now and then while it runs.
    void check_memory();

private:
    void wait_until_gone();

    const std::string _data;
    wall_clock& _clock;
    verdict& _verdict;
    unsigned _memory_mib = 0;
    std::string _said; // by the last server, when it was gone
    std::unique_ptr<testing_lib::running_server> _server;
    std::unique_ptr<site> _site;
};

} // namespace torture

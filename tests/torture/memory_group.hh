// A control group that has only so much memory: the kernel ends what takes more.
#pragma once

#include <cstdint>

#include <sys/types.h>

#include "tests/torture/verdict.hh"

namespace torture {

// Puts the process into a group of its own, of either version of control groups; skipped aloud where that is not permitted.
void limit_memory(pid_t, uint64_t bytes, verdict&);
// When the processes in it are gone.
void remove_memory_group();

} // namespace torture

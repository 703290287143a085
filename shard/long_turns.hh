// How the kernel's scheduler shares a core between this process and the kernel's own threads.
//
// A reactor looks for work without a pause, and who waits for a flush of the disk waits for a thread of the kernel, which wants
// the same core. Since Linux 6.12 a thread that wakes up interrupts another one at once only if it asked for shorter turns; else
// it waits for the end of the turn, or until the reactor falls asleep. Where both cores of a machine were busy, a flush took 0.3
// to 4 ms instead of 0.08. So the process asks for longer turns than the usual: it loses nothing by it, for a turn that was cut
// short goes on.
#pragma once

namespace shard {

// For this thread and those it will start. Older kernels know no lengths of turns and interrupt anyway; where it is not allowed,
// nothing happens.
void take_long_turns();

} // namespace shard

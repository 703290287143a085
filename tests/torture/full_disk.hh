// A disk that fills up under a server: writes end with a clear error and nothing that was acknowledged is lost, reads and drops
// go on, a start on the full disk succeeds, and writing resumes when there is space again (P7).
#pragma once

#include "tests/torture/small_disk.hh"
#include "tests/torture/wall_clock.hh"

namespace torture {

void run_full_disk(small_disk&, wall_clock&, verdict&);

} // namespace torture

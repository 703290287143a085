// One round: a start, a look at everything that must be there, load with faults, an end.
#pragma once

#include <memory>
#include <vector>

#include "tests/torture/load.hh"
#include "tests/torture/schedule.hh"
#include "tests/torture/subject.hh"

namespace torture {

using workloads = std::vector<std::unique_ptr<workload>>;

// False when the server did not start: there is no point in going on.
bool run_round(subject&, workloads&, const round_plan&, verdict&);
// Starts once more and looks at all there ever was.
bool verify_all(subject&, workloads&);

} // namespace torture

// The values of properties are those that fields of log records have, too.
#pragma once

#include "base/value.hh"

namespace tables {

using base::guid;
using base::property;
using base::value;
using base::value_type;

} // namespace tables

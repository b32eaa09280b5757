#pragma once

#include "apps/cutis/verbs.h"

namespace cutis::app {

/// `farm plan`, `run`, `submit`, `status`, `retry` and `collect`.
void add_farm_verbs(CLI::App& program, Action& action);

}  // namespace cutis::app

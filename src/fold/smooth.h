#pragma once

#include "stripes/smooth.h"

namespace cutis::fold_detail {

using stripes::smallest_stretch;
using stripes::smooth_step;
using stripes::Squeeze;

}  // namespace cutis::fold_detail

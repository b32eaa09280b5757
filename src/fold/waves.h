#pragma once

#include "fold/even_mesh.h"
#include "stripes/waves.h"

namespace cutis::fold_detail {

using stripes::solve_waves;
using stripes::stripe_corners;
using stripes::StripeCorners;
using stripes::Waves;

}  // namespace cutis::fold_detail

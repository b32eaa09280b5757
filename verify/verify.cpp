#include "verify/verify.h"

namespace cutis::verify {

Case case_at_most(std::string layer, std::string name, double value, double limit, std::string unit,
                  std::string source) {
    return {std::move(layer), std::move(name),  value, limit, std::move(unit),
            value <= limit,   std::move(source)};
}

Case case_at_least(std::string layer, std::string name, double value, double limit,
                   std::string unit, std::string source) {
    return {std::move(layer), std::move(name),  value, limit, std::move(unit),
            value >= limit,   std::move(source)};
}

}  // namespace cutis::verify

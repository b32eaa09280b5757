#include "verify/fold_cases.h"

namespace cutis::verify {

Case fold_at_most(std::string name, double value, double limit, std::string unit,
                  std::string source) {
    Case result;
    result.layer = "fold";
    result.name = std::move(name);
    result.value = value;
    result.limit = limit;
    result.unit = std::move(unit);
    result.pass = value <= limit;  // false for NaN
    result.source = std::move(source);
    return result;
}

Case fold_at_least(std::string name, double value, double limit, std::string unit,
                   std::string source) {
    Case result = fold_at_most(std::move(name), value, limit, std::move(unit), std::move(source));
    result.pass = value >= limit;
    return result;
}

std::vector<Case> verify_fold() {
    std::vector<Case> cases = verify_fold_lines();
    for (const auto& more : {verify_fold_tube(), verify_fold_character()}) {
        cases.insert(cases.end(), more.begin(), more.end());
    }
    return cases;
}

}  // namespace cutis::verify

#include "verify/fold_cases.h"

namespace cutis::verify {

Case fold_at_most(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_most("fold", std::move(name), value, limit, std::move(unit), std::move(source));
}

Case fold_at_least(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_least("fold", std::move(name), value, limit, std::move(unit), std::move(source));
}

std::vector<Case> verify_fold() {
    std::vector<Case> cases = verify_fold_lines();
    for (const auto& more : {verify_fold_tube(), verify_fold_character()}) {
        cases.insert(cases.end(), more.begin(), more.end());
    }
    return cases;
}

}  // namespace cutis::verify

// The yardstick of scripts/build-time: a file that never changes, with the kind of work our own
// files are made of (dense decompositions, sparse factors, small loops). What a build costs is said
// in multiples of it, so that budgets hold on any machine.
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <map>
#include <string>
#include <vector>

Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
    return a.jacobiSvd(Eigen::ComputeThinU | Eigen::ComputeThinV).solve(b);
}

Eigen::VectorXd sparse_solution(const std::vector<Eigen::Triplet<double>>& entries, const Eigen::VectorXd& b) {
    Eigen::SparseMatrix<double> matrix(b.size(), b.size());
    matrix.setFromTriplets(entries.begin(), entries.end());
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(matrix);
    return factor.solve(b);
}

std::map<std::string, double> totals(const std::vector<std::pair<std::string, double>>& rows) {
    std::map<std::string, double> sums;
    for (const auto& [name, value] : rows) {
        sums[name] += value;
    }
    return sums;
}

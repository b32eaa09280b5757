#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/io/obj_read.h"

namespace cutis {

namespace fs = std::filesystem;

namespace {

struct Numbered {
    std::string digits;  ///< without leading zeros: longer means larger
    fs::path path;

    bool operator<(const Numbered& other) const {
        if (digits.size() != other.digits.size()) {
            return digits.size() < other.digits.size();
        }
        return digits != other.digits ? digits < other.digits : path < other.path;
    }
};

void append_frame(const MatrixX3d& positions, PointCache& cache) {
    const double* numbers = positions.data();
    for (Eigen::Index i = 0; i < positions.size(); ++i) {
        cache.samples.push_back(static_cast<float>(numbers[i]));
    }
}

}  // namespace

std::vector<fs::path> obj_sequence_files(const fs::path& pattern) {
    const std::string name = pattern.filename().string();
    const std::size_t star = name.find('*');
    if (star == std::string::npos || name.find('*', star + 1) != std::string::npos) {
        throw InvalidInput(
            concat(pattern.string(), ": expected one * in the file name, standing for the frame number"));
    }
    const std::string before = name.substr(0, star);
    const std::string after = name.substr(star + 1);
    const fs::path folder = pattern.parent_path().empty() ? fs::path(".") : pattern.parent_path();
    std::error_code error;
    std::vector<Numbered> found;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        const std::string file = entry->path().filename().string();
        if (file.size() <= before.size() + after.size() || file.compare(0, before.size(), before) != 0 ||
            file.compare(file.size() - after.size(), after.size(), after) != 0) {
            continue;
        }
        std::string digits = file.substr(before.size(), file.size() - before.size() - after.size());
        if (digits.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
        found.push_back({digits, entry->path()});
    }
    if (error) {
        throw IoError(concat(folder.string(), ": cannot be listed (", error.message(), ")"));
    }
    if (found.empty()) {
        throw InvalidInput(concat(pattern.string(), ": expected files with a number in place of *, found none"));
    }
    std::sort(found.begin(), found.end());
    std::vector<fs::path> files;
    files.reserve(found.size());
    for (Numbered& numbered : found) {
        files.push_back(std::move(numbered.path));
    }
    return files;
}

ObjSequence read_obj_sequence(const fs::path& pattern, double rate, const WarningCallback& warn) {
    if (!(rate > 0.0) || !std::isfinite(rate)) {
        throw InvalidInput(concat(pattern.string(), ": expected a rate above 0, found ", rate));
    }
    ObjSequence sequence;
    sequence.files = obj_sequence_files(pattern);
    sequence.cache.rate = rate;
    for (const fs::path& file : sequence.files) {
        const bool is_first = &file == &sequence.files.front();
        ArtMesh mesh = read_obj(file, is_first ? warn : WarningCallback());
        if (is_first) {
            sequence.cache.vertex_count = static_cast<int>(mesh.positions.rows());
            append_frame(mesh.positions, sequence.cache);
            sequence.mesh = std::move(mesh);
            continue;
        }
        const std::string first = sequence.files.front().filename().string();
        if (mesh.positions.rows() != sequence.mesh.positions.rows()) {
            throw InvalidInput(concat(file.filename().string(), ": expected ", sequence.mesh.positions.rows(),
                                      " vertices as in ", first, ", found ", mesh.positions.rows()));
        }
        if (mesh.triangles.rows() != sequence.mesh.triangles.rows() || mesh.triangles != sequence.mesh.triangles ||
            mesh.polygon_sizes != sequence.mesh.polygon_sizes) {
            throw InvalidInput(concat(file.filename().string(), ": expected the faces of ", first, ", found others"));
        }
        append_frame(mesh.positions, sequence.cache);
    }
    return sequence;
}

}  // namespace cutis

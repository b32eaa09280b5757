#include "io/usd/copies.h"

#include "io/usd/text.h"

namespace cutis {

namespace {

std::string tuples(const double* values, Eigen::Index count, int width) {
    std::string text;
    append_tuples(text, values, static_cast<size_t>(count), width);
    return text;
}

}  // namespace

UsdaCopies::UsdaCopies(const std::filesystem::path& path, const std::string& root,
                       const MeshInfo& mesh, const std::string& identifier)
    : copies_(mesh.copies.get()),
      root_(root),
      identifier_(identifier),
      baked_(piece_of(mesh)),
      piece_(path, nullptr, baked_, "piece"),
      positions_(path, "point3f[] positions", ""),
      orientations_(path, "quath[] orientations", ""),
      orientationsf_(path, "quatf[] orientationsf", ""),
      extent_(path, "float3[] extent", "") {}

void UsdaCopies::take(int time_code, const MeshFrame& frame) {
    if (!has_piece_) {
        MeshFrame piece;
        piece.positions = copies_->piece.positions;
        piece_.take(time_code, piece);
        has_piece_ = true;
    }
    const Eigen::Index count = copies_->sizes.rows();
    positions_.take(time_code, tuples(frame.copy_positions.data(), count, 3));
    const std::string rotations = tuples(frame.copy_rotations.data(), count, 4);
    orientations_.take(time_code, rotations);
    orientationsf_.take(time_code, rotations);
    MatrixX3d box(2, 3);
    box << frame.positions.colwise().minCoeff(), frame.positions.colwise().maxCoeff();
    extent_.take(time_code, tuples(box.data(), 2, 3));
}

void UsdaCopies::finish(AtomicFile& file) {
    file.write("    def PointInstancer \"" + identifier_ + "\"\n    {\n");
    file.write(usda_member + "rel prototypes = <" + root_ + "/" + identifier_ + "/piece>\n");
    std::string indices;
    append_integers(indices, std::vector<int>(static_cast<size_t>(copies_->sizes.rows()), 0));
    file.write(usda_member + "int[] protoIndices = " + indices + "\n");
    file.write(usda_member + "float3[] scales = " +
               tuples(copies_->sizes.data(), copies_->sizes.rows(), 3) + "\n");
    positions_.write_to(file);
    orientations_.write_to(file);
    orientationsf_.write_to(file);
    extent_.write_to(file);
    file.write("\n");
    piece_.finish(file);
    file.write("    }\n");
}

}  // namespace cutis

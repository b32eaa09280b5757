#include "cutis/io/formats.h"

#include "io/write_support.h"

namespace cutis {
namespace {

using test::Bake;
using test::files_in;
using test::formula_body;
using test::GlbFile;
using test::ScratchFolder;
using test::seamed_square;

/// Art vertex and UV entry of every render vertex of a part: pairs in order, as the header says.
std::vector<std::pair<int, int>> render_pairs(const ArtMesh& mesh, int part) {
    std::set<std::pair<int, int>> pairs;
    const MeshPart& range = mesh.parts[size_t(part)];
    for (int f = range.first_triangle; f < range.first_triangle + range.triangle_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            pairs.insert({mesh.triangles(f, k), mesh.uv_triangles(f, k)});
        }
    }
    return {pairs.begin(), pairs.end()};
}

/// Largest distance of the written positions from the true ones, over parts, vertices, frames.
double measured_error(const GlbFile& glb, const Bake& bake) {
    double largest = 0.0;
    for (int f = 0; f < bake.frame_count; ++f) {
        const Frame frame = bake.frame(f);
        for (int part = 0; part < 2; ++part) {
            const auto pairs = render_pairs(bake.body->mesh(), part);
            const std::vector<double> written = glb.morphed(part, "POSITION", f);
            EXPECT_EQ(written.size(), pairs.size() * 3);
            for (size_t v = 0; v < pairs.size(); ++v) {
                const Vector3d there(written[3 * v], written[3 * v + 1], written[3 * v + 2]);
                largest = std::max(largest, (there - frame.body().positions.row(pairs[v].first).transpose()).norm());
            }
        }
    }
    return largest;
}

MatrixX3d random_shape(int vertex_count, unsigned seed) {
    std::mt19937 generator(seed);
    MatrixX3d shape(vertex_count, 3);
    for (Eigen::Index i = 0; i < shape.size(); ++i) {
        shape.data()[i] = double(generator()) / 4294967296.0 - 0.5;
    }
    return shape;
}

/// Rest plus `rank` random shapes, each with its own sine; sizes fall by `decay` from one to the
/// next.
Body random_body(int rank, double decay) {
    const ArtMesh mesh = seamed_square(8);
    const MatrixX3d rest = mesh.positions;
    std::vector<MatrixX3d> shapes;
    for (int j = 0; j < rank; ++j) {
        shapes.push_back(random_shape(int(rest.rows()), unsigned(j + 1)));
    }
    return formula_body(mesh, [=](double time) {
        MatrixX3d positions = rest;
        for (int j = 0; j < rank; ++j) {
            positions += shapes[size_t(j)] * std::pow(decay, j) * std::sin(time * (j + 1) * 1.7 + j);
        }
        return positions;
    });
}

TEST(GlbWrite, motion_of_rank_r_needs_r_targets_and_one_more_where_it_changes_sign) {
    for (const int rank : {1, 3, 7}) {
        ScratchFolder folder;
        const Body body = random_body(rank, 0.8);
        SinkOptions options;
        options.glb.tolerance = 1e-6;
        const Bake bake{&body, 40};
        const auto sink = make_sink(folder / "a.glb", options);
        const OutputFile file = bake.run(*sink).at(0);
        // The one shape of rank 1 moves by sin(1.7 t), which keeps its sign over this clip.
        const int expected = rank == 1 ? 1 : rank + 1;
        EXPECT_EQ(file.numbers.at("morph_targets"), expected);
        EXPECT_LT(file.numbers.at("max_error_m"), 1e-6 * std::sqrt(2.0));
        const GlbFile glb(folder / "a.glb");
        ASSERT_EQ(glb.target_count(), expected);
        const std::vector<double> weights = glb.floats(glb.json["animations"][0]["samplers"][0]["output"]);
        EXPECT_GE(*std::min_element(weights.begin(), weights.end()), 0.0);
        EXPECT_EQ(*std::max_element(weights.begin(), weights.end()), 1.0);
        for (size_t f = 0; rank > 1 && f < 40; ++f) {
            EXPECT_EQ(weights[f * size_t(expected) + size_t(rank)], 1.0);
        }
    }
}

TEST(GlbWrite, reported_error_is_the_error_of_the_file_and_below_the_tolerance) {
    const Body body = random_body(30, 0.7);
    int targets_before = 1000;
    for (const double tolerance : {1e-5, 1e-3, 1e-2}) {
        ScratchFolder folder;
        SinkOptions options;
        options.glb.tolerance = tolerance;
        const Bake bake{&body, 48};
        const auto sink = make_sink(folder / "a.glb", options);
        const OutputFile file = bake.run(*sink).at(0);
        const double reported = file.numbers.at("max_error_m");
        EXPECT_NEAR(measured_error(GlbFile(folder / "a.glb"), bake), reported, 1e-12);
        EXPECT_NEAR(file.numbers.at("tolerance_m"), tolerance * std::sqrt(2.0), 1e-15);
        EXPECT_LT(reported, file.numbers.at("tolerance_m"));
        // A looser tolerance must need fewer targets, or the truncation does nothing.
        EXPECT_LT(file.numbers.at("morph_targets"), targets_before);
        targets_before = int(file.numbers.at("morph_targets"));
        EXPECT_GT(targets_before, 0);
    }
}

TEST(GlbWrite, one_target_fewer_would_miss_the_tolerance) {
    // Shapes at disjoint vertices with sizes 1, 1/4, 1/16 ... and independent motion: the best k
    // targets leave the (k+1)-th shape over, whose reach is known.
    const ArtMesh mesh = seamed_square(8);
    const MatrixX3d rest = mesh.positions;
    const Body body = formula_body(mesh, [rest](double time) {
        MatrixX3d positions = rest;
        const int frame = int(std::lround(time * 24.0));
        for (int j = 0; j < 6; ++j) {
            positions(10 * j, 2) += frame == j + 1 ? std::pow(0.25, j) : 0.0;
        }
        return positions;
    });
    ScratchFolder folder;
    SinkOptions options;
    options.glb.tolerance = 0.02 / std::sqrt(2.0);  // 0.02 m: between 0.25^2 = 0.0625 and 0.25^3 = 0.0156
    const auto sink = make_sink(folder / "a.glb", options);
    const OutputFile file = Bake{&body, 12}.run(*sink).at(0);
    EXPECT_EQ(file.numbers.at("morph_targets"), 3);
    EXPECT_NEAR(file.numbers.at("max_error_m"), std::pow(0.25, 3), 1e-7);
}

TEST(GlbWrite, full_rank_motion_never_needs_more_targets_than_frames) {
    const ArtMesh mesh = seamed_square(6);
    const int n = int(mesh.positions.rows());
    const Body body =
        formula_body(mesh, [n](double time) { return random_shape(n, unsigned(std::lround(time * 24.0)) + 5); });
    ScratchFolder folder;
    SinkOptions options;
    options.glb.tolerance = 1e-7;
    const Bake bake{&body, 20};
    const auto sink = make_sink(folder / "a.glb", options);
    const OutputFile file = bake.run(*sink).at(0);
    EXPECT_EQ(file.numbers.at("morph_targets"), 20);
    EXPECT_NEAR(measured_error(GlbFile(folder / "a.glb"), bake), file.numbers.at("max_error_m"), 1e-12);
    EXPECT_LT(file.numbers.at("max_error_m"), 1e-6);
}

TEST(GlbWrite, rounding_takes_what_the_tolerance_allows) {
    // Modes are orthonormal, so steps D of all of them are noise of D / sqrt(12) in every coordinate. Of so many errors
    // in three directions, normally distributed, the largest has 5 deviations and more: rounded to the nearest, D could
    // be 0.65 of the tolerance at most.
    const ArtMesh mesh = seamed_square(40);
    const int n = int(mesh.positions.rows());
    const Body body =
        formula_body(mesh, [n](double time) { return random_shape(n, unsigned(std::lround(time * 24.0)) + 5); });
    ScratchFolder folder;
    SinkOptions options;
    options.glb.tolerance = 1e-3;
    const Bake bake{&body, 60};
    const auto sink = make_sink(folder / "a.glb", options);
    const OutputFile file = bake.run(*sink).at(0);
    const double tolerance = file.numbers.at("tolerance_m");
    EXPECT_LT(measured_error(GlbFile(folder / "a.glb"), bake), tolerance);
    EXPECT_GT(file.numbers.at("max_error_m"), 0.99 * tolerance);
    const GlbFile glb(folder / "a.glb");
    const std::vector<double> weights = glb.floats(glb.json["animations"][0]["samplers"][0]["output"]);
    const size_t targets = size_t(glb.target_count());
    for (size_t k = 0; k + 1 < targets; ++k) {
        const nlohmann::json& target = glb.primitive(0)["targets"][k];
        double step = 1.0;
        for (const double value : glb.floats(target["POSITION"])) {
            step = value == 0.0 ? step : std::min(step, std::abs(value));
        }
        // A mode has length 1 and is 0 in the first frame, from which displacements are counted.
        double squares = 0.0;
        for (size_t f = 0; f < 60; ++f) {
            const double above_first = weights[f * targets + k] - weights[k];
            squares += above_first * above_first;
        }
        EXPECT_GT(step * std::sqrt(squares), 0.75 * tolerance) << k;
    }
}

TEST(GlbWrite, weights_of_targets_that_move_little_are_whole_bytes) {
    const Body body = random_body(30, 0.7);
    ScratchFolder folder;
    SinkOptions options;
    options.glb.tolerance = 1e-4;
    const Bake bake{&body, 48};
    const auto sink = make_sink(folder / "a.glb", options);
    const OutputFile file = bake.run(*sink).at(0);
    const GlbFile glb(folder / "a.glb");
    const std::vector<double> weights = glb.floats(glb.json["animations"][0]["samplers"][0]["output"]);
    const size_t targets = size_t(glb.target_count());
    int coarse = 0;
    for (size_t k = 0; k < targets; ++k) {
        bool is_coarse = true;
        for (size_t f = 0; f < 48; ++f) {
            const double coarse_steps = std::ldexp(weights[f * targets + k], 8);
            is_coarse = is_coarse && coarse_steps == std::rint(coarse_steps);
            const double fine = std::ldexp(weights[f * targets + k], 24);
            EXPECT_EQ(fine, std::rint(fine));
        }
        coarse += is_coarse ? 1 : 0;
    }
    EXPECT_GT(coarse, 3);
    EXPECT_LT(coarse, int(targets));
    EXPECT_NEAR(measured_error(glb, bake), file.numbers.at("max_error_m"), 1e-12);
}

TEST(GlbWrite, normals_of_a_turning_body_turn_with_it) {
    // Under rotation about an axis positions and normals are both linear in (cos, sin): the normal targets must be
    // exact but for their rounding, half of 2^-7 in three directions in each of three targets.
    const double rounding = 3.0 * std::sqrt(3.0) / 256.0;
    ArtMesh mesh = seamed_square(8);
    mesh.positions.col(2) = 0.1 * (mesh.positions.col(0).array() * 7.0).sin();
    const MatrixX3d rest = mesh.positions;
    const auto turn = [](double time) {
        return Eigen::AngleAxisd(1.3 * time + 0.2, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
    };
    const Body body = formula_body(mesh, [=](double time) { return MatrixX3d(rest * turn(time).transpose()); });
    ScratchFolder folder;
    SinkOptions options;
    options.glb.tolerance = 1e-6;
    const Bake bake{&body, 36};
    const auto sink = make_sink(folder / "a.glb", options);
    const OutputFile file = bake.run(*sink).at(0);
    EXPECT_EQ(file.numbers.at("morph_targets"), 3);
    const GlbFile glb(folder / "a.glb");
    const std::vector<double> first = glb.morphed(0, "NORMAL", 0);
    for (const int f : {0, 11, 35}) {
        const Eigen::Matrix3d from_first = turn(f / 24.0) * turn(0.0).transpose();
        const std::vector<double> now = glb.morphed(0, "NORMAL", f);
        for (size_t i = 0; i < first.size(); i += 3) {
            const Vector3d expected = from_first * Vector3d(first[i], first[i + 1], first[i + 2]);
            EXPECT_LT((Vector3d(now[i], now[i + 1], now[i + 2]) - expected).norm(), rounding);
            EXPECT_NEAR(expected.norm(), 1.0, rounding);
        }
    }
}

TEST(GlbWrite, moving_uvs_become_targets_whose_positions_take_no_space) {
    const ArtMesh mesh = seamed_square(4);
    const MatrixX3d rest = mesh.positions;
    const Body body = formula_body(mesh, [rest](double) { return rest; });
    Bake bake{&body, 15};
    bake.uv_changed = true;
    bake.change = [&](Frame& frame) {
        if (frame.number != 3) {  // a frame may leave UVs out: those of the rest then
            frame.body().uv = mesh.uv;
            frame.body().uv.col(0).array() += 0.2 * std::sin(frame.time * 9.0);
            frame.body().uv.col(1).array() *= 1.0 + 0.3 * std::cos(frame.time * 5.0);
        }
    };
    ScratchFolder folder;
    const auto sink = make_sink(folder / "a.glb");
    const OutputFile file = bake.run(*sink).at(0);
    EXPECT_EQ(file.numbers.at("morph_targets"), 3);
    EXPECT_LT(file.numbers.at("max_uv_error"), 1e-4);
    const GlbFile glb(folder / "a.glb");
    double largest = 0.0;
    for (int part = 0; part < 2; ++part) {
        for (const auto& target : glb.primitive(part)["targets"]) {
            const auto& position = glb.json["accessors"][target["POSITION"].get<size_t>()];
            EXPECT_FALSE(position.contains("bufferView"));
            EXPECT_EQ(position["max"], nlohmann::json({0.0, 0.0, 0.0}));
        }
        const auto pairs = render_pairs(mesh, part);
        for (int f = 0; f < bake.frame_count; ++f) {
            const Frame frame = bake.frame(f);
            const MatrixX2d& uv = frame.body().uv.rows() > 0 ? frame.body().uv : mesh.uv;
            const std::vector<double> written = glb.morphed(part, "TEXCOORD_0", f);
            ASSERT_EQ(written.size(), pairs.size() * 2);
            for (size_t v = 0; v < pairs.size(); ++v) {
                const Vector2d expected(uv(pairs[v].second, 0), 1.0 - uv(pairs[v].second, 1));
                largest = std::max(largest, (Vector2d(written[2 * v], written[2 * v + 1]) - expected).norm());
            }
        }
    }
    EXPECT_NEAR(largest, file.numbers.at("max_uv_error"), 1e-12);
}

TEST(GlbWrite, vertices_are_split_at_uv_seams_and_keep_their_triangles) {
    const ArtMesh mesh = seamed_square(4);
    const MatrixX3d rest = mesh.positions;
    const Body body = formula_body(mesh, [rest](double) { return rest; });
    ScratchFolder folder;
    const auto sink = make_sink(folder / "a.glb");
    const OutputFile file = Bake{&body, 1}.run(*sink).at(0);
    EXPECT_EQ(file.numbers.at("morph_targets"), 0);
    const GlbFile glb(folder / "a.glb");
    EXPECT_FALSE(glb.json.contains("animations"));
    EXPECT_EQ(glb.json["asset"]["generator"], "cutis");
    for (int part = 0; part < 2; ++part) {
        const std::vector<double> positions = glb.floats(glb.primitive(part)["attributes"]["POSITION"]);
        const std::vector<double> uv = glb.floats(glb.primitive(part)["attributes"]["TEXCOORD_0"]);
        const std::vector<int> indices = glb.integers(glb.primitive(part)["indices"]);
        const MeshPart& range = mesh.parts[size_t(part)];
        ASSERT_EQ(indices.size(), size_t(range.triangle_count) * 3);
        for (size_t corner = 0; corner < indices.size(); ++corner) {
            const int f = range.first_triangle + int(corner / 3);
            const auto v = size_t(indices[corner]);
            for (int k = 0; k < 3; ++k) {
                EXPECT_EQ(positions[3 * v + size_t(k)], float(rest(mesh.triangles(f, int(corner % 3)), k)));
            }
            const int t = mesh.uv_triangles(f, int(corner % 3));
            EXPECT_EQ(uv[2 * v], float(mesh.uv(t, 0)));
            EXPECT_EQ(uv[2 * v + 1], float(1.0 - mesh.uv(t, 1)));
        }
    }
}

TEST(GlbWrite, hard_edges_stay_hard_and_uv_seams_stay_smooth) {
    // Two quads meeting at a right angle along x = 1. In the first mesh the shared edge is split
    // with equal UVs (a hard edge), in the second with different UVs (a seam).
    for (const bool is_seam : {false, true}) {
        ArtMesh mesh;
        mesh.positions.resize(8, 3);
        mesh.positions << 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,  //
            1, 0, 0, 1, 0, -1, 1, 1, -1, 1, 1, 0;
        mesh.triangles.resize(4, 3);
        mesh.triangles << 0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7;
        mesh.uv = MatrixX2d::Zero(8, 2);
        mesh.uv.bottomRows(4).setConstant(is_seam ? 0.5 : 0.0);
        mesh.uv_triangles = mesh.triangles;
        const MatrixX3d rest = mesh.positions;
        const Body body = formula_body(mesh, [rest](double) { return rest; });
        ScratchFolder folder;
        const auto sink = make_sink(folder / "a.glb");
        Bake{&body, 1}.run(*sink);
        const GlbFile glb(folder / "a.glb");
        const std::vector<double> normals = glb.floats(glb.primitive(0)["attributes"]["NORMAL"]);
        const Vector3d at_edge(normals[3], normals[4], normals[5]);
        const Vector3d expected = is_seam ? Vector3d(1, 0, 1).normalized() : Vector3d(0, 0, 1);
        // Vertex 1 has one of two triangles of each side at (1,0,0): both sides count the same.
        EXPECT_LT((at_edge - expected).norm(), is_seam ? 0.33 : 1e-6) << at_edge.transpose();
        const Vector3d other_side(normals[12], normals[13], normals[14]);
        EXPECT_EQ(at_edge == other_side, is_seam);
    }
}

TEST(GlbWrite, only_materials_in_use_are_carried_with_what_they_need) {
    auto library = std::make_shared<MaterialLibrary>();
    library->gltf_json = R"({
        "materials": [
            {"name": "unused", "normalTexture": {"index": 0}, "extensions": {"KHR_materials_unlit": {}}},
            {"name": "red", "pbrMetallicRoughness": {"baseColorTexture": {"index": 2}},
             "occlusionTexture": {"index": 1, "texCoord": 1},
             "emissiveTexture": {"index": 3},
             "extensions": {"KHR_materials_clearcoat": {"clearcoatTexture": {"index": 1}}}}],
        "textures": [{"source": 0}, {"source": 1, "sampler": 1}, {"source": 1}, {"source": 2}],
        "samplers": [{"wrapS": 33071}, {"wrapT": 33648}],
        "images": [{"mimeType": "image/png", "name": "a"}, {"mimeType": "image/png", "name": "b"},
                   {"mimeType": "image/png", "name": "lost"}],
        "extensionsUsed": ["KHR_materials_unlit", "KHR_materials_clearcoat"]})";
    library->images = {{1, 2, 3}, {4, 5, 6, 7, 8}, {}};
    auto character = std::make_shared<Character>();
    character->materials = library;
    Body::Source source;
    source.mesh = seamed_square(2);
    source.character = character;
    const MatrixX3d rest = source.mesh.positions;
    source.motion = std::make_shared<test::FormulaMotion>(int(rest.rows()), 1.0, [rest](double) { return rest; });
    for (const bool has_uv : {true, false}) {
        Body::Source variant = source;
        if (!has_uv) {
            variant.mesh.uv.resize(0, 2);
            variant.mesh.uv_triangles.resize(0, 3);
        }
        const Body body(std::move(variant), ClockOptions{});
        ScratchFolder folder;
        const auto sink = make_sink(folder / "a.glb");
        Bake{&body, 1}.run(*sink);
        const GlbFile glb(folder / "a.glb");
        ASSERT_EQ(glb.json["materials"].size(), 1U);
        const auto& red = glb.json["materials"][0];
        EXPECT_EQ(red["name"], "red");
        EXPECT_EQ(glb.primitive(0)["material"], 0);
        EXPECT_FALSE(glb.primitive(1).contains("material"));
        EXPECT_FALSE(red.contains("occlusionTexture"));  // asks for TEXCOORD_1
        EXPECT_FALSE(red.contains("emissiveTexture"));   // its picture was not found
        EXPECT_EQ(glb.json["extensionsUsed"], nlohmann::json({"KHR_materials_clearcoat"}));
        if (!has_uv) {
            EXPECT_FALSE(glb.json.contains("textures"));
            EXPECT_FALSE(red["pbrMetallicRoughness"].contains("baseColorTexture"));
            continue;
        }
        ASSERT_EQ(glb.json["images"].size(), 1U);
        ASSERT_EQ(glb.json["textures"].size(), 2U);
        const auto& texture =
            glb.json["textures"]
                    [red["extensions"]["KHR_materials_clearcoat"]["clearcoatTexture"]["index"].get<size_t>()];
        EXPECT_EQ(glb.json["samplers"][texture["sampler"].get<size_t>()]["wrapT"], 33648);
        const auto& view = glb.json["bufferViews"][glb.json["images"][0]["bufferView"].get<size_t>()];
        EXPECT_EQ(view["byteLength"], 5);
        EXPECT_EQ(glb.binary[view.value("byteOffset", size_t{0})], 4);
    }
}

TEST(GlbWrite, tolerances_out_of_range_are_refused) {
    SinkOptions options;
    options.glb.tolerance = 0.0;
    EXPECT_THROW(make_sink("a.glb", options), InvalidInput);
    options.glb.tolerance = 1e-4;
    options.glb.uv_tolerance = std::nan("");
    EXPECT_THROW(make_sink("a.glb", options), InvalidInput);
}

}  // namespace
}  // namespace cutis

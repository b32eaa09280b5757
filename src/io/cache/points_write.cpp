#include <bit>
#include <cstdint>
#include <cstring>
#include <set>

#include "cutis/io/files.h"
#include "cutis/io/formats.h"
#include "io/obj/text.h"
#include "io/sink.h"
#include "io/split.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written in native order");

/// FOLDER/NAME.pc2 and "scales.rest.obj" -> FOLDER/NAME.scales.rest.obj
std::filesystem::path beside(const std::filesystem::path& path, const std::string& ending) {
    std::filesystem::path other = path;
    other.replace_extension();
    other += "." + ending;
    return other;
}

std::uint32_t turned(std::uint32_t word) {
    return word >> 24 | (word >> 8 & 0xFF00U) | (word << 8 & 0xFF0000U) | word << 24;
}

/// Point caches: float32 positions, frame after frame, one file per mesh. The formats differ in
/// header and byte order.
class PointsSink : public CheckedSink {
protected:
    PointsSink(const std::string& format, std::filesystem::path path, const SinkOptions& options)
        : CheckedSink(format, path, options.frames), format_(format), path_(std::move(path)) {}

    virtual void write_header(AtomicFile& file, int points) = 0;
    virtual bool is_big_endian() const = 0;

    AtomicFile& add_file(const std::string& ending) {
        files_.push_back(std::make_unique<AtomicFile>(ending == format_ ? path_ : beside(path_, ending)));
        return *files_.back();
    }

    /// Files of the meshes in their order; then meshes at rest: a cache is of no use without the
    /// mesh it moves.
    void start() override {
        for (const MeshInfo& mesh : meshes()) {
            write_header(add_file(mesh.is_body ? format_ : mesh.name + "." + format_), mesh.vertex_count());
            names_.insert(mesh.name);
        }
        split_ = split_body(info());
        for (SplitMesh& mesh : split_) {
            mesh.info.name = file_name(mesh.info.name);
            write_header(add_file(mesh.info.name + "." + format_), mesh.info.vertex_count());
        }
        caches_ = files_.size();
        start_more();
        for (const MeshInfo& mesh : meshes()) {
            if (mesh.is_body && shows_own_mesh()) {
                continue;
            }
            add_file(mesh.is_body ? "rest.obj" : mesh.name + ".rest.obj").write(obj_of_rest(*mesh.art, mesh.name));
        }
        for (const SplitMesh& mesh : split_) {
            if (!shows_own_mesh()) {
                add_file(mesh.info.name + ".rest.obj").write(obj_of_rest(*mesh.info.art, mesh.info.name));
            }
        }
    }

    /// A name that can be part of a file's name and that no other mesh has.
    std::string file_name(const std::string& name) {
        std::string plain;
        for (const char c : name) {
            const bool is_good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                 static_cast<unsigned char>(c) >= 0x80 || std::strchr("-_ .#", c) != nullptr;
            plain += is_good && c != 0 ? c : '_';
        }
        std::string unique = plain.empty() ? "mesh" : plain;
        for (int n = 2; unique == "uv" || !names_.insert(unique).second; ++n) {
            unique = plain + "_" + std::to_string(n);
        }
        return unique;
    }
    virtual void start_more() {}

    void take(const Frame& frame, int /*index*/) override {
        for (size_t m = 0; m < meshes().size(); ++m) {
            const MatrixX3d& positions = frame.meshes[m].positions;
            floats_.resize(static_cast<size_t>(positions.size()));
            for (size_t i = 0; i < floats_.size(); ++i) {
                floats_[i] = static_cast<float>(positions.data()[i]);
            }
            write_floats(*files_[m]);
        }
        for (size_t m = 0; m < split_.size(); ++m) {
            floats_.clear();
            for (const int v : split_[m].vertices) {
                for (int k = 0; k < 3; ++k) {
                    floats_.push_back(static_cast<float>(frame.body().positions(v, k)));
                }
            }
            write_floats(*files_[meshes().size() + m]);
        }
    }

    void write_floats(AtomicFile& file) {
        if (is_big_endian()) {
            for (float& value : floats_) {
                value = std::bit_cast<float>(turned(std::bit_cast<std::uint32_t>(value)));
            }
        }
        file.write(floats_.data(), floats_.size() * sizeof(float));
    }

    /// All are safe on disk before the first is renamed, so that a full disk leaves none of them.
    std::vector<OutputFile> complete() override {
        for (const auto& file : files_) {
            file->flush();
        }
        std::vector<OutputFile> written;
        for (const auto& file : files_) {
            written.push_back({format_, file->path().string(), file->commit(), {}});
        }
        return written;
    }

    std::string format_;
    std::filesystem::path path_;
    std::vector<std::unique_ptr<AtomicFile>> files_;
    std::vector<SplitMesh> split_;  // where the body's file has several meshes
    std::set<std::string> names_;
    size_t caches_ = 0;  // files of points, one per mesh
    std::vector<float> floats_;
};

/// Point cache of 3ds Max, read by Blender's Mesh Cache modifier among others.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | header             | `POINTCACHE2\0`, version 1, points, first frame, rate 1, samples       |
/// | positions          | little-endian float32 x y z, vertices in the order of the source file  |
/// | UVs that move      | a second file NAME.uv.pc2: one point per polygon corner, corners in    |
/// |                    | the order of the source file, x = u, y = v (up), z = 0                 |
/// | UVs that stand     | not written: they are those of the source                              |
/// | several meshes     | NAME.MESH.pc2 each as well, on the vertices of that mesh of the file   |
/// | details            | NAME.DETAIL.pc2 each, and the mesh it moves as NAME.DETAIL.rest.obj    |
/// | finer mesh         | NAME.rest.obj, where the body is not shown on the vertices of its file |
/// | in Blender         | on an object that has the file's vertices (no armature, no parent): a  |
/// |                    | Mesh Cache modifier, this file, Forward -Z, Up Y; frame 1 is frame 1   |
/// | channels, lines    | not written: the format has no place for them                          |
///
/// Polygon corners are what Blender calls loops: a mesh with one vertex per loop, moved by the UV
/// file, is sampled by loop index to get the UVs back (Object Info, Sample Index, Store Named
/// Attribute). A corner without UV gets 0 0 0. All files appear when finish() is called.
class Pc2Sink final : public PointsSink {
public:
    Pc2Sink(std::filesystem::path path, const SinkOptions& options) : PointsSink("pc2", std::move(path), options) {}

private:
    bool is_big_endian() const override { return false; }

    void write_header(AtomicFile& file, int points) override {
        char header[32] = "POINTCACHE2";
        const int version = 1;
        const auto first_frame = static_cast<float>(info().first_frame);
        const float samples_per_frame = 1.0F;
        std::memcpy(header + 12, &version, 4);
        std::memcpy(header + 16, &points, 4);
        std::memcpy(header + 20, &first_frame, 4);
        std::memcpy(header + 24, &samples_per_frame, 4);
        std::memcpy(header + 28, &info().frame_count, 4);
        file.write(header, sizeof(header));
    }

    void start_more() override {
        if (body().uv_moves()) {
            uv_of_corner_ = polygon_corners(*body().art, parts_of(*body().art)).uvs;
            uv_file_ = &add_file("uv.pc2");
            write_header(*uv_file_, static_cast<int>(uv_of_corner_.size()));
        }
    }

    void take(const Frame& frame, int index) override {
        PointsSink::take(frame, index);
        if (uv_file_ == nullptr) {
            return;
        }
        const MatrixX2d& uv = uv_of(body(), frame.body());
        floats_.assign(uv_of_corner_.size() * 3, 0.0F);
        for (size_t corner = 0; corner < uv_of_corner_.size(); ++corner) {
            const int row = uv_of_corner_[corner];
            if (row >= 0) {
                floats_[corner * 3] = static_cast<float>(uv(row, 0));
                floats_[corner * 3 + 1] = static_cast<float>(uv(row, 1));
            }
        }
        write_floats(*uv_file_);
    }

    AtomicFile* uv_file_ = nullptr;
    std::vector<int> uv_of_corner_;
};

/// Point cache of LightWave, read by Blender, Maya and others.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | header             | big-endian int32 frames, int32 points                                  |
/// | times              | big-endian float32, seconds of body time, one per frame                |
/// | positions          | big-endian float32 x y z, vertices in the order of the source file     |
/// | several meshes     | NAME.MESH.mdd each as well, on the vertices of that mesh of the file   |
/// | details            | NAME.DETAIL.mdd each, and the mesh it moves as NAME.DETAIL.rest.obj    |
/// | finer mesh         | NAME.rest.obj, where the body is not shown on the vertices of its file |
/// | UVs, channels,     | not written: the format has no place for them (PC2 has)                |
/// | lines              |                                                                        |
///
/// All files appear when finish() is called.
class MddSink final : public PointsSink {
public:
    MddSink(std::filesystem::path path, const SinkOptions& options) : PointsSink("mdd", std::move(path), options) {}

private:
    bool is_big_endian() const override { return true; }

    void write_header(AtomicFile& file, int points) override {
        const std::uint32_t counts[] = {turned(static_cast<std::uint32_t>(info().frame_count)),
                                        turned(static_cast<std::uint32_t>(points))};
        file.write(counts, sizeof(counts));
        // The times stand before the positions; they are filled in at the end.
        const std::vector<float> times(static_cast<size_t>(info().frame_count), 0.0F);
        file.write(times.data(), times.size() * sizeof(float));
    }

    void take(const Frame& frame, int index) override {
        times_.push_back(turned(std::bit_cast<std::uint32_t>(static_cast<float>(frame.time))));
        PointsSink::take(frame, index);
    }

    std::vector<OutputFile> complete() override {
        for (size_t m = 0; m < caches_; ++m) {
            files_[m]->rewrite(8, times_.data(), times_.size() * sizeof(std::uint32_t));
        }
        return PointsSink::complete();
    }

    std::vector<std::uint32_t> times_;
};

}  // namespace

Format pc2_format();  // listed in formats.cpp
Format mdd_format();

Format pc2_format() {
    return {"pc2", "point cache of 3ds Max, read by Blender's Mesh Cache modifier among others",
            [](const std::filesystem::path& path, const SinkOptions& options) {
                return std::make_unique<Pc2Sink>(path, options);
            }};
}

Format mdd_format() {
    return {"mdd", "point cache of LightWave, read by Blender, Maya and others",
            [](const std::filesystem::path& path, const SinkOptions& options) {
                return std::make_unique<MddSink>(path, options);
            }};
}

}  // namespace cutis

#include "cutis/io/formats.h"

#include <bit>
#include <cstdint>
#include <set>

#include "cutis/io/files.h"
#include "io/cache/zip.h"
#include "io/sink.h"
#include "io/store/spool.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written in native order");

/// Header of a .npy array, C order, version 1.0: padded so that the numbers begin at 64 bytes.
std::string npy_header(const std::string& type, const std::vector<std::int64_t>& shape) {
    std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
    for (const std::int64_t extent : shape) {
        text += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
    }
    if (shape.size() > 1) {
        text.resize(text.size() - 2);
    }
    text += "), }";
    const size_t prefix = 10;
    text.append(63 - (prefix + text.size()) % 64, ' ');
    text += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(text.size() & 255U);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

/// Keys become file names inside the archive: no separators, no control characters.
std::string entry_name(const std::string& key) {
    std::string name = key;
    for (char& c : name) {
        if (static_cast<unsigned char>(c) < ' ' || c == '/' || c == '\\' || c == ':') {
            c = '_';
        }
    }
    return name + ".npy";
}

/// NumPy archive for researchers: `numpy.load("NAME.npz")`.
///
/// | array              | shape and type                                                         |
/// |--------------------|------------------------------------------------------------------------|
/// | positions          | frames x vertices x 3, float64 (float32 by option), metres             |
/// | plain              | the same without layers, where they change the shape                   |
/// | rest               | vertices x 3, float64                                                  |
/// | triangles          | triangles x 3, int32                                                   |
/// | polygon_sizes      | polygons, int32; only where the source has polygons                    |
/// | uv                 | entries x 2, float64, v up: UVs of the source, where there are any     |
/// | uv_triangles       | triangles x 3, int32 into uv; -1 for a corner without UV               |
/// | uv_frames          | frames x entries x 2, only where UVs move                              |
/// | channel_NAME       | frames x vertices, or frames x vertices x width                        |
/// | detail_NAME_...    | positions, rest, triangles, polygon_sizes, uv, uv_triangles and        |
/// |                    | channel_NAME of a detail, as above                                     |
/// | lines_NAME         | frames x points x 3: lines and dots that layers show                   |
/// | lines_NAME_segments | segments x 2, int32 into the points; none: dots                        |
/// | times, frames      | seconds of body time, float64; frame numbers, int32                    |
/// | fps                | one float64                                                            |
///
/// Stored without compression, zip64 where an array or the file passes 4 GB, no time stamps: the
/// same bake gives the same bytes.
class NpzSink final : public CheckedSink {
public:
    NpzSink(std::filesystem::path path, const SinkOptions& options)
        : CheckedSink("npz", path, options.frames), path_(std::move(path)), options_(options.npz) {}

    bool wants_body_positions() const override { return true; }

private:
    /// An array that grows with the frames and waits on disk.
    struct Series {
        Series(const std::filesystem::path& beside, std::string array_key, std::vector<std::int64_t> array_shape)
            : key(std::move(array_key)), shape(std::move(array_shape)), numbers(beside) {}
        std::string key;
        std::vector<std::int64_t> shape;
        SpoolFile numbers;
    };

    void start() override {
        file_ = std::make_unique<AtomicFile>(path_);
        zip_ = std::make_unique<ZipWriter>(*file_);
        const std::int64_t frames = info().frame_count;
        // Positions are the bulk: first in the archive, straight into it.
        const std::string header = npy_header(number_type(), {frames, body().vertex_count(), 3});
        begin_entry("positions", header.size() + static_cast<std::uint64_t>(frames) *
                                                     static_cast<std::uint64_t>(body().vertex_count()) * 3 *
                                                     number_size());
        zip_->write(header.data(), header.size());
        for (const MeshInfo& mesh : meshes()) {
            announce(mesh);
        }
        for (const LineSet& lines : info().lines) {
            add_waiting("lines_" + lines.name, {frames, lines.point_count, 3});
        }
    }

    /// Everything else waits in the order in which take() brings it.
    void announce(const MeshInfo& mesh) {
        const std::int64_t frames = info().frame_count;
        const std::string prefix = prefix_of(mesh);
        if (&mesh != &body()) {
            add_waiting(prefix + "positions", {frames, mesh.vertex_count(), 3});
        }
        if (mesh.has_plain) {
            add_waiting(prefix + "plain", {frames, mesh.vertex_count(), 3});
        }
        if (mesh.has_normals) {
            add_waiting(prefix + "normals", {frames, mesh.vertex_count(), 3});
        }
        if (mesh.uv_moves()) {
            add_waiting(prefix + "uv_frames", {frames, mesh.uv_count(), 2});
        }
        for (const ChannelInfo& channel : mesh.channels) {
            std::vector<std::int64_t> shape = {frames, mesh.vertex_count()};
            if (channel.width > 1) {
                shape.push_back(channel.width);
            }
            add_waiting(prefix + "channel_" + channel.name, shape);
        }
    }

    void take(const Frame& frame, int /*index*/) override {
        times_.push_back(frame.time);
        numbers_.push_back(frame.number);
        const MatrixX3d& positions = frame.body().positions;
        const auto [data, bytes] = as_stored(positions.data(), static_cast<size_t>(positions.size()));
        zip_->write(data, bytes);
        auto next = waiting_.begin();
        const auto append = [&](const auto& values) {
            const auto [stored, size] = as_stored(values.data(), static_cast<size_t>(values.size()));
            (*next++)->numbers.append(stored, size);
        };
        for (size_t m = 0; m < meshes().size(); ++m) {
            const MeshInfo& mesh = meshes()[m];
            const MeshFrame& now = frame.meshes[m];
            if (&mesh != &body()) {
                append(now.positions);
            }
            if (mesh.has_plain) {
                append(now.plain_positions);
            }
            if (mesh.has_normals) {
                append(now.normals);
            }
            if (mesh.uv_moves()) {
                append(uv_of(mesh, now));
            }
            for (const std::vector<double>& values : now.channels) {
                append(values);
            }
        }
        for (const MatrixX3d& points : frame.lines) {
            append(points);
        }
    }

    std::vector<OutputFile> complete() override {
        zip_->end_entry();
        for (const MeshInfo& mesh : meshes()) {
            add_mesh(mesh, prefix_of(mesh));
        }
        for (const auto& series : waiting_) {
            add_series(*series);
        }
        for (const LineSet& lines : info().lines) {
            std::vector<int> ends;
            for (const std::array<int, 2>& segment : lines.segments) {
                ends.insert(ends.end(), segment.begin(), segment.end());
            }
            add_integers("lines_" + lines.name + "_segments", ends.data(),
                         {static_cast<std::int64_t>(lines.segments.size()), 2});
        }
        add_doubles("times", times_.data(), {info().frame_count});
        add_integers("frames", numbers_.data(), {info().frame_count});
        const double fps = info().fps;
        add_doubles("fps", &fps, {});
        zip_->close();
        return {{"npz", path_.string(), file_->commit(), {}}};
    }

    /// What names of arrays of a mesh begin with.
    static std::string prefix_of(const MeshInfo& mesh) {
        return mesh.is_body ? std::string() : "detail_" + mesh.name + "_";
    }

    void add_mesh(const MeshInfo& mesh, const std::string& prefix) {
        const ArtMesh& art = *mesh.art;
        add_doubles(prefix + "rest", art.positions.data(), {art.positions.rows(), 3});
        add_integers(prefix + "triangles", art.triangles.data(), {art.triangles.rows(), 3});
        if (!art.polygon_sizes.empty()) {
            add_integers(prefix + "polygon_sizes", art.polygon_sizes.data(),
                         {static_cast<std::int64_t>(art.polygon_sizes.size())});
        }
        if (mesh.has_uv()) {
            add_doubles(prefix + "uv", art.uv.data(), {art.uv.rows(), 2});
            add_integers(prefix + "uv_triangles", art.uv_triangles.data(), {art.uv_triangles.rows(), 3});
        }
    }

    void add_waiting(const std::string& key, const std::vector<std::int64_t>& shape) {
        waiting_.push_back(std::make_unique<Series>(path_, key, shape));
    }

    /// A key that is taken (two sets of lines with one name) gets an underscore more.
    void begin_entry(std::string key, std::uint64_t bytes) {
        while (!taken_.insert(entry_name(key)).second) {
            key += "_";
        }
        zip_->begin_entry(entry_name(key), bytes);
    }

    std::string number_type() const { return options_.use_float32 ? "<f4" : "<f8"; }
    size_t number_size() const { return options_.use_float32 ? 4 : 8; }

    std::pair<const void*, size_t> as_stored(const double* values, size_t count) {
        if (!options_.use_float32) {
            return {values, count * sizeof(double)};
        }
        floats_.resize(count);
        for (size_t i = 0; i < count; ++i) {
            floats_[i] = static_cast<float>(values[i]);
        }
        return {floats_.data(), count * sizeof(float)};
    }

    void add_series(Series& series) {
        const std::string header = npy_header(number_type(), series.shape);
        begin_entry(series.key, header.size() + series.numbers.size());
        zip_->write(header.data(), header.size());
        std::vector<char> buffer(size_t{1} << 20);
        for (std::uintmax_t offset = 0; offset < series.numbers.size();) {
            const auto bytes =
                static_cast<size_t>(std::min<std::uintmax_t>(buffer.size(), series.numbers.size() - offset));
            series.numbers.read(offset, buffer.data(), bytes);
            zip_->write(buffer.data(), bytes);
            offset += bytes;
        }
        zip_->end_entry();
    }

    void add(const std::string& key, const std::string& header, const void* data, size_t bytes) {
        begin_entry(key, header.size() + bytes);
        zip_->write(header.data(), header.size());
        zip_->write(data, bytes);
        zip_->end_entry();
    }

    static size_t product(const std::vector<std::int64_t>& shape) {
        size_t count = 1;
        for (const std::int64_t extent : shape) {
            count *= static_cast<size_t>(extent);
        }
        return count;
    }

    void add_doubles(const std::string& key, const double* data, const std::vector<std::int64_t>& shape) {
        add(key, npy_header("<f8", shape), data, product(shape) * sizeof(double));
    }

    void add_integers(const std::string& key, const int* data, const std::vector<std::int64_t>& shape) {
        add(key, npy_header("<i4", shape), data, product(shape) * sizeof(int));
    }

    std::filesystem::path path_;
    NpzOptions options_;
    std::unique_ptr<AtomicFile> file_;
    std::unique_ptr<ZipWriter> zip_;
    std::vector<std::unique_ptr<Series>> waiting_;
    std::set<std::string> taken_;
    std::vector<double> times_;
    std::vector<int> numbers_;
    std::vector<float> floats_;
};

}  // namespace

Format npz_format();  // listed in formats.cpp

Format npz_format() {
    return {"npz", "NumPy archive", [](const std::filesystem::path& path, const SinkOptions& options) {
                return std::make_unique<NpzSink>(path, options);
            }};
}

}  // namespace cutis

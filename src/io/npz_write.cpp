#include "cutis/io/npz_write.h"

#include <bit>
#include <cstdint>
#include <set>

#include "cutis/io/files.h"
#include "write_base.h"
#include "write_spool.h"
#include "write_zip.h"

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

class NpzSink final : public CheckedSink {
public:
    NpzSink(std::filesystem::path path, const NpzOptions& options)
        : CheckedSink("npz"), path_(std::move(path)), options_(options) {}

private:
    /// An array that grows with the frames and waits on disk.
    struct Series {
        Series(const std::filesystem::path& beside, std::string array_key,
               std::vector<std::int64_t> array_shape)
            : key(std::move(array_key)), shape(std::move(array_shape)), numbers(beside) {}
        std::string key;
        std::vector<std::int64_t> shape;
        SpoolFile numbers;
    };

    void start() override {
        file_ = std::make_unique<AtomicFile>(path_);
        zip_ = std::make_unique<ZipWriter>(*file_);
        const std::int64_t frames = info().frame_count;
        if (uv_moves()) {
            uv_ = std::make_unique<Series>(path_, "uv_frames",
                                           std::vector<std::int64_t>{frames, uv_count(), 2});
        }
        // Positions are the bulk: first in the archive, straight into it.
        const std::string header = npy_header(number_type(), {frames, vertex_count(), 3});
        zip_->begin_entry("positions.npy",
                          header.size() + static_cast<std::uint64_t>(frames) *
                                              static_cast<std::uint64_t>(vertex_count()) * 3 *
                                              number_size());
        zip_->write(header.data(), header.size());
    }

    void take(const Frame& frame, int index) override {
        if (index == 0) {
            announce_channels();
        }
        times_.push_back(frame.time);
        numbers_.push_back(frame.number);
        const auto [data, bytes] =
            as_stored(frame.positions.data(), static_cast<size_t>(frame.positions.size()));
        zip_->write(data, bytes);
        if (uv_) {
            const MatrixX2d& uv = uv_of(frame);
            append(*uv_, uv.data(), static_cast<size_t>(uv.size()));
        }
        for (size_t c = 0; c < channels().size(); ++c) {
            const std::vector<double>& values = frame.channels.at(channels()[c].name).values;
            append(*channel_series_[c], values.data(), values.size());
        }
    }

    void announce_channels() {
        std::set<std::string> taken;
        for (const ChannelLayout& channel : channels()) {
            std::vector<std::int64_t> shape = {info().frame_count, vertex_count()};
            if (channel.width > 1) {
                shape.push_back(channel.width);
            }
            std::string key = "channel_" + channel.name;
            while (!taken.insert(entry_name(key)).second) {
                key += "_";
            }
            channel_series_.push_back(std::make_unique<Series>(path_, key, shape));
        }
    }

    std::vector<OutputFile> complete() override {
        zip_->end_entry();
        const ArtMesh& art = mesh();
        add_doubles("rest", art.positions.data(), {art.positions.rows(), 3});
        add_integers("triangles", art.triangles.data(), {art.triangles.rows(), 3});
        if (!art.polygon_sizes.empty()) {
            add_integers("polygon_sizes", art.polygon_sizes.data(),
                         {static_cast<std::int64_t>(art.polygon_sizes.size())});
        }
        if (has_uv()) {
            add_doubles("uv", art.uv.data(), {art.uv.rows(), 2});
            add_integers("uv_triangles", art.uv_triangles.data(), {art.uv_triangles.rows(), 3});
        }
        if (uv_) {
            add_series(*uv_);
        }
        for (const auto& series : channel_series_) {
            add_series(*series);
        }
        add_doubles("times", times_.data(), {info().frame_count});
        add_integers("frames", numbers_.data(), {info().frame_count});
        const double fps = info().fps;
        add_doubles("fps", &fps, {});
        zip_->close();
        return {{"npz", path_.string(), file_->commit(), {}}};
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

    void append(Series& series, const double* values, size_t count) {
        const auto [data, bytes] = as_stored(values, count);
        series.numbers.append(data, bytes);
    }

    void add_series(Series& series) {
        const std::string header = npy_header(number_type(), series.shape);
        zip_->begin_entry(entry_name(series.key), header.size() + series.numbers.size());
        zip_->write(header.data(), header.size());
        std::vector<char> buffer(size_t{1} << 20);
        for (std::uintmax_t offset = 0; offset < series.numbers.size();) {
            const auto bytes = static_cast<size_t>(
                std::min<std::uintmax_t>(buffer.size(), series.numbers.size() - offset));
            series.numbers.read(offset, buffer.data(), bytes);
            zip_->write(buffer.data(), bytes);
            offset += bytes;
        }
        zip_->end_entry();
    }

    void add(const std::string& key, const std::string& header, const void* data, size_t bytes) {
        zip_->begin_entry(key + ".npy", header.size() + bytes);
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

    void add_doubles(const std::string& key, const double* data,
                     const std::vector<std::int64_t>& shape) {
        add(key, npy_header("<f8", shape), data, product(shape) * sizeof(double));
    }

    void add_integers(const std::string& key, const int* data,
                      const std::vector<std::int64_t>& shape) {
        add(key, npy_header("<i4", shape), data, product(shape) * sizeof(int));
    }

    std::filesystem::path path_;
    NpzOptions options_;
    std::unique_ptr<AtomicFile> file_;
    std::unique_ptr<ZipWriter> zip_;
    std::unique_ptr<Series> uv_;
    std::vector<std::unique_ptr<Series>> channel_series_;
    std::vector<double> times_;
    std::vector<int> numbers_;
    std::vector<float> floats_;
};

}  // namespace

std::unique_ptr<FrameSink> make_npz_sink(const std::filesystem::path& path,
                                         const NpzOptions& options) {
    return std::make_unique<NpzSink>(path, options);
}

}  // namespace cutis

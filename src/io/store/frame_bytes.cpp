#include "io/store/frame_bytes.h"

#include <cstring>

#include "cutis/core/error.h"

namespace cutis {

namespace {

class Writer {
public:
    explicit Writer(std::vector<unsigned char>& bytes) : bytes_(bytes) {}

    template <class Number>
    requires std::is_arithmetic_v<Number>
    void put(Number number) { raw(&number, sizeof(number)); }

    void put(const std::vector<double>& values) {
        put(static_cast<std::uint64_t>(values.size()));
        raw(values.data(), values.size() * sizeof(double));
    }
    template <int Columns>
    void put(const Eigen::Matrix<double, Eigen::Dynamic, Columns, Eigen::RowMajor>& matrix) {
        put(static_cast<std::uint64_t>(matrix.rows()));
        raw(matrix.data(), static_cast<size_t>(matrix.size()) * sizeof(double));
    }
    template <class Item>
    void put(const std::vector<Item>& items) {
        put(static_cast<std::uint64_t>(items.size()));
        for (const Item& item : items) {
            put(item);
        }
    }
    void put(const MeshFrame& mesh) {
        put(mesh.positions);
        put(mesh.normals);
        put(mesh.uv);
        put(mesh.channels);
        put(mesh.copy_positions);
        put(mesh.copy_rotations);
        put(mesh.plain_positions);
        put(mesh.shares);
    }

private:
    void raw(const void* data, size_t size) {
        const auto* from = static_cast<const unsigned char*>(data);
        bytes_.insert(bytes_.end(), from, from + size);
    }
    std::vector<unsigned char>& bytes_;
};

class Reader {
public:
    explicit Reader(std::span<const unsigned char> bytes) : rest_(bytes) {}

    template <class Number>
    requires std::is_arithmetic_v<Number>
    void get(Number& number) { raw(&number, sizeof(number)); }

    void get(std::vector<double>& values) {
        values.resize(count(sizeof(double)));
        raw(values.data(), values.size() * sizeof(double));
    }
    template <int Columns>
    void get(Eigen::Matrix<double, Eigen::Dynamic, Columns, Eigen::RowMajor>& matrix) {
        matrix.resize(static_cast<Eigen::Index>(count(Columns * sizeof(double))), Columns);
        raw(matrix.data(), static_cast<size_t>(matrix.size()) * sizeof(double));
    }
    template <class Item>
    void get(std::vector<Item>& items) {
        items.resize(count(1));
        for (Item& item : items) {
            get(item);
        }
    }
    void get(MeshFrame& mesh) {
        get(mesh.positions);
        get(mesh.normals);
        get(mesh.uv);
        get(mesh.channels);
        get(mesh.copy_positions);
        get(mesh.copy_rotations);
        get(mesh.plain_positions);
        get(mesh.shares);
    }

    /// How many of something of at least this size follow.
    size_t count(size_t least_bytes) {
        std::uint64_t number = 0;
        get(number);
        if (number > rest_.size() / least_bytes) {
            throw InvalidInput("frame: ends too early");
        }
        return static_cast<size_t>(number);
    }
    void end() const {
        if (!rest_.empty()) {
            throw InvalidInput(say("frame: ", rest_.size(), " bytes too many"));
        }
    }

private:
    void raw(void* data, size_t size) {
        if (size > rest_.size()) {
            throw InvalidInput("frame: ends too early");
        }
        if (size > 0) {
            std::memcpy(data, rest_.data(), size);
        }
        rest_ = rest_.subspan(size);
    }
    std::span<const unsigned char> rest_;
};

}  // namespace

void append_frame(const Frame& frame, std::vector<unsigned char>& bytes) {
    Writer out(bytes);
    out.put(frame.number);
    out.put(frame.time);
    out.put(frame.meshes);
    out.put(frame.lines);
    out.put(frame.numbers);
    out.put(frame.stage_seconds);
}

void read_frame_bytes(std::span<const unsigned char> bytes, Frame& frame) {
    Reader in(bytes);
    in.get(frame.number);
    in.get(frame.time);
    in.get(frame.meshes);
    in.get(frame.lines);
    in.get(frame.numbers);
    in.get(frame.stage_seconds);
    in.end();
}

}  // namespace cutis

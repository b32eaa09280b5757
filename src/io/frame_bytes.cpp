#include "frame_bytes.h"

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

    void put(const std::string& text) {
        put(static_cast<std::uint64_t>(text.size()));
        raw(text.data(), text.size());
    }
    void put(const std::vector<double>& values) {
        put(static_cast<std::uint64_t>(values.size()));
        raw(values.data(), values.size() * sizeof(double));
    }
    template <int Columns>
    void put(const Eigen::Matrix<double, Eigen::Dynamic, Columns, Eigen::RowMajor>& matrix) {
        put(static_cast<std::uint64_t>(matrix.rows()));
        raw(matrix.data(), static_cast<size_t>(matrix.size()) * sizeof(double));
    }
    void put(const std::map<std::string, ChannelData>& channels) {
        put(static_cast<std::uint64_t>(channels.size()));
        for (const auto& [name, channel] : channels) {
            put(name);
            put(channel.unit);
            put(channel.width);
            put(channel.values);
        }
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

    void get(std::string& text) {
        text.resize(count(1));
        raw(text.data(), text.size());
    }
    void get(std::vector<double>& values) {
        values.resize(count(sizeof(double)));
        raw(values.data(), values.size() * sizeof(double));
    }
    template <int Columns>
    void get(Eigen::Matrix<double, Eigen::Dynamic, Columns, Eigen::RowMajor>& matrix) {
        matrix.resize(static_cast<Eigen::Index>(count(Columns * sizeof(double))), Columns);
        raw(matrix.data(), static_cast<size_t>(matrix.size()) * sizeof(double));
    }
    void get(std::map<std::string, ChannelData>& channels) {
        channels.clear();
        for (size_t i = count(1); i > 0; --i) {
            std::string name;
            get(name);
            ChannelData& channel = channels[name];
            get(channel.unit);
            get(channel.width);
            get(channel.values);
        }
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
    out.put(frame.positions);
    out.put(frame.body_positions);
    out.put(static_cast<std::uint64_t>(frame.shares.size()));
    for (const std::vector<double>& share : frame.shares) {
        out.put(share);
    }
    out.put(frame.uv);
    out.put(frame.channels);
    out.put(static_cast<std::uint64_t>(frame.details.size()));
    for (const DetailFrame& detail : frame.details) {
        out.put(detail.positions);
        out.put(detail.normals);
        out.put(detail.channels);
        out.put(detail.copy_positions);
        out.put(detail.copy_rotations);
    }
    out.put(static_cast<std::uint64_t>(frame.lines.size()));
    for (const MatrixX3d& points : frame.lines) {
        out.put(points);
    }
    out.put(static_cast<std::uint64_t>(frame.numbers.size()));
    for (const auto& [name, value] : frame.numbers) {
        out.put(name);
        out.put(value);
    }
    out.put(static_cast<std::uint64_t>(frame.stage_seconds.size()));
    for (const auto& [stage, seconds] : frame.stage_seconds) {
        out.put(stage);
        out.put(seconds);
    }
}

void read_frame_bytes(std::span<const unsigned char> bytes, Frame& frame) {
    Reader in(bytes);
    in.get(frame.number);
    in.get(frame.time);
    in.get(frame.positions);
    in.get(frame.body_positions);
    frame.shares.resize(in.count(1));
    for (std::vector<double>& share : frame.shares) {
        in.get(share);
    }
    in.get(frame.uv);
    in.get(frame.channels);
    frame.details.resize(in.count(1));
    for (DetailFrame& detail : frame.details) {
        in.get(detail.positions);
        in.get(detail.normals);
        in.get(detail.channels);
        in.get(detail.copy_positions);
        in.get(detail.copy_rotations);
    }
    frame.lines.resize(in.count(1));
    for (MatrixX3d& points : frame.lines) {
        in.get(points);
    }
    frame.numbers.clear();
    for (size_t i = in.count(1); i > 0; --i) {
        std::string name;
        in.get(name);
        in.get(frame.numbers[name]);
    }
    frame.stage_seconds.resize(in.count(1));
    for (auto& [stage, seconds] : frame.stage_seconds) {
        in.get(stage);
        in.get(seconds);
    }
    in.end();
}

}  // namespace cutis

#include <cmath>

#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "io/file_sequence.h"
#include "io/picture/picture.h"
#include "io/sink.h"

namespace cutis {
namespace {

/// Normal and height maps over the UVs, two PNG pictures a frame.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | file names         | NAME.normal.0001.png, NAME.height.0001.png: the frame number with at   |
/// |                    | least four digits; a second layer that paints has its name before them |
/// | normals            | 16 bits, red green blue = (x y z + 1) / 2: x along u, y along v        |
/// |                    | upwards (OpenGL, glTF, Blender), z out; to be read as data, not sRGB   |
/// | heights            | 16 bits grey, 0.5: none; metres = (grey - 0.5) * scale                 |
/// | scale              | in NAME.maps.json, the same for all frames, with size and file names   |
/// | rows               | the first is the top of the picture, v = 1                             |
/// | borders            | go on beyond the islands by map_padding of the layer                   |
class MapsSink final : public CheckedSink {
public:
    MapsSink(const std::filesystem::path& path, const SinkOptions& options)
        : CheckedSink("png", path, options.frames), files_("png", path) {}

private:
    void start() override {
        for (const LayerInfo& layer : info().layers) {
            if (layer.maps != nullptr) {
                layers_.push_back(&layer);
            }
        }
        require(!layers_.empty(),
                "png: expected a layer that paints maps (kind = \"wrinkle\", on a mesh with UVs, in a "
                "clip that compresses its skin), found none; other formats have its channels");
        files_.start();
    }

    void take(const Frame& frame, int /*index*/) override {
        static const Workers one(1);
        const Workers& workers = info().workers == nullptr ? one : *info().workers;
        const std::string digits = frame_digits(frame.number);
        for (const LayerInfo* layer : layers_) {
            layer->maps->paint(frame.body(), layer->first_channel, workers, &heights_, &normals_);
            const double scale = 2.0 * layer->maps->most_height();
            const int size = layer->maps->size();
            pack(normals_, 0.5, 0.5);
            put(*layer, "normal", digits, write_png16(size, size, 3, numbers_));
            pack(heights_, 1.0 / scale, 0.5);
            put(*layer, "height", digits, write_png16(size, size, 1, numbers_));
        }
    }

    void pack(const std::vector<float>& values, double factor, double middle) {
        numbers_.resize(values.size());
        for (size_t i = 0; i < values.size(); ++i) {
            const double number = 65535.0 * std::clamp(factor * values[i] + middle, 0.0, 1.0);
            numbers_[i] = static_cast<std::uint16_t>(number + 0.5);
        }
    }

    std::string prefix(const LayerInfo& layer) const {
        return files_.stem() + (&layer == layers_.front() ? "." : "." + layer.name + ".");
    }

    void put(const LayerInfo& layer, const char* what, const std::string& digits,
             const std::vector<unsigned char>& bytes) {
        files_.put(prefix(layer) + what + "." + digits + ".png", bytes.data(), bytes.size());
    }

    std::vector<OutputFile> complete() override {
        std::string text = "{\n  \"maps\": [";
        for (const LayerInfo* layer : layers_) {
            text += concat(layer == layers_.front() ? "\n" : ",\n", "    {\"layer\": ", quoted_text(layer->name),
                           ", \"normal\": ", quoted_text(prefix(*layer) + "normal.####.png"),
                           ", \"height\": ", quoted_text(prefix(*layer) + "height.####.png"),
                           ", \"height_scale\": ", number_text(2.0 * layer->maps->most_height()),
                           ", \"height_middle\": 0.5, \"size\": ", layer->maps->size(),
                           ", \"texels_a_wavelength\": ", number_text(layer->maps->texels_a_wavelength()), "}");
        }
        text += "\n  ]\n}\n";
        files_.put(files_.stem() + ".maps.json", text);
        return files_.complete();
    }

    FileSequence files_;
    std::vector<const LayerInfo*> layers_;
    std::vector<float> heights_, normals_;
    std::vector<std::uint16_t> numbers_;
};

}  // namespace

Format png_format();  // listed in formats.cpp

Format png_format() {
    return {"png", "normal and height maps of wrinkles, a PNG each per frame",
            [](const std::filesystem::path& path, const SinkOptions& options) {
                return std::make_unique<MapsSink>(path, options);
            },
            true};
}

}  // namespace cutis

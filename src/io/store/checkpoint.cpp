#include "cutis/io/checkpoint.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/hash.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/formats.h"
#include "cutis/io/scene_read.h"
#include "io/store/frame_store.h"

namespace cutis {

namespace fs = std::filesystem;

namespace {

constexpr char magic[] = "cutis checkpoint 3\n";

std::uint64_t hash_of(std::span<const unsigned char> bytes) {
    return Hash64().add_bytes(std::as_bytes(bytes)).value();
}

std::uint64_t hash_of_layer(const LayerScene& layer, const std::string& file) {
    const std::shared_ptr<LayerPlan> plan = layer.plan ? layer.plan : plan_layer(layer, file);
    return Hash64().add_text(layer.kind).add_number(hash_options(plan->options())).value();
}

// Poses at a few times: also notices files a glTF refers to.
std::uint64_t hash_of_motion(const Body& body) {
    Hash64 hash;
    const ArtMesh& mesh = body.mesh();
    const auto add = [&](const auto& matrix) {
        hash.add_number(matrix.size());
        hash.add_numbers(std::span(matrix.data(), static_cast<size_t>(matrix.size())));
    };
    add(mesh.positions);
    add(mesh.triangles);
    add(mesh.uv);
    add(mesh.uv_triangles);
    for (const auto& [name, values] : mesh.painted) {
        hash.add_text(name);
        add(values);
    }
    constexpr int times = 16;
    const Workers workers(1);
    MatrixX3d positions;
    for (int i = 0; i <= times; ++i) {
        body.positions(body.duration() * i / times, TimeSampling::exact, workers, positions);
        add(positions);
    }
    return hash.value();
}

template <class Number>
void put(std::vector<unsigned char>& bytes, Number number) {
    const auto* from = reinterpret_cast<const unsigned char*>(&number);
    bytes.insert(bytes.end(), from, from + sizeof(number));
}

// Reads numbers one after another; every one is checked against the end.
class StateReader {
public:
    StateReader(std::span<const unsigned char> bytes, std::string place) : rest_(bytes), place_(std::move(place)) {}

    template <class Number>
    Number get() {
        Number number{};
        take(&number, sizeof(number));
        return number;
    }
    std::string text() {
        std::string text(length(1), '\0');
        take(text.data(), text.size());
        return text;
    }
    std::vector<double> numbers() {
        std::vector<double> values(length(sizeof(double)));
        take(values.data(), values.size() * sizeof(double));
        return values;
    }
    size_t length(size_t each) {
        const auto count = get<std::uint64_t>();
        if (count > rest_.size() / each) {
            damaged();
        }
        return static_cast<size_t>(count);
    }
    [[noreturn]] void damaged() const {
        throw InvalidInput(concat(place_, ": the checkpoint is damaged; bake again without --resume"));
    }

private:
    void take(void* data, size_t size) {
        if (size > rest_.size()) {
            damaged();
        }
        if (size > 0) {
            std::memcpy(data, rest_.data(), size);
        }
        rest_ = rest_.subspan(size);
    }
    std::span<const unsigned char> rest_;
    std::string place_;
};

}  // namespace

std::uint64_t hash_of_file(const fs::path& path) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) {
        throw IoError(concat(path.string(), ": cannot be read (", std::strerror(errno), ")"));
    }
    Hash64 hash;
    std::vector<std::byte> buffer(size_t{1} << 20);
    size_t got = 0;
    while ((got = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) {
        hash.add_bytes({buffer.data(), got});
    }
    const bool is_good = std::ferror(file) == 0;
    std::fclose(file);
    if (!is_good) {
        throw IoError(concat(path.string(), ": cannot be read to its end"));
    }
    return hash.value();
}

Fingerprint fingerprint_of_values(const Scene& scene, const std::string& version) {
    Fingerprint out;
    out.emplace_back("the program's version", Hash64().add_text(version).value());
    Scene values = scene;  // descriptions are bound to fields that can be written
    out.emplace_back("[body]",
                     Hash64().add_number(hash_options(describe_body(values))).add_text(scene.body.mesh_file).value());
    for (size_t i = 0; i < values.decals.size(); ++i) {
        out.emplace_back(concat("decal ", i + 1), hash_options(describe(values.decals[i])));
    }
    if (values.recording.steps > 0) {
        out.emplace_back("[recording]", hash_options(describe(values.recording)));
    }
    out.emplace_back("the range of frames",
                     Hash64().add_number(scene.first_frame).add_number(scene.last_frame).value());
    SinkOptions sinks = sink_options(scene);
    Hash64 formats;
    for (const std::string& format : scene.output.formats) {
        formats.add_text(format).add_text(",");
    }
    out.emplace_back("[output]", formats.add_number(hash_options(describe(sinks))).value());
    for (size_t i = 0; i < scene.layers.size(); ++i) {
        out.emplace_back(concat("layer ", i + 1, " (", scene.layers[i].kind, ")"),
                         hash_of_layer(scene.layers[i], scene.file));
    }
    return out;
}

Fingerprint fingerprint_of(const Scene& scene, const Body& body, const std::string& version) {
    Fingerprint out = fingerprint_of_values(scene, version);
    for (const fs::path& file : scene_files(scene)) {
        out.emplace_back(file.string(), hash_of_file(file));
    }
    out.emplace_back("the body's motion", hash_of_motion(body));
    return out;
}

SavedState read_state(const fs::path& path, const Fingerprint& fingerprint) {
    const std::vector<unsigned char> bytes = read_file(path);
    constexpr size_t head = sizeof(magic) - 1;
    StateReader whole(bytes, path.string());
    if (bytes.size() < head + sizeof(std::uint64_t) || std::memcmp(bytes.data(), magic, head) != 0) {
        whole.damaged();
    }
    const std::span<const unsigned char> body(bytes.data() + head, bytes.size() - head - 8);
    StateReader tail({bytes.data() + bytes.size() - 8, 8}, path.string());
    if (tail.get<std::uint64_t>() != hash_of(body)) {
        whole.damaged();
    }
    StateReader in(body, path.string());
    Fingerprint before(in.length(1));
    for (auto& [name, hash] : before) {
        name = in.text();
        hash = in.get<std::uint64_t>();
    }
    for (size_t i = 0; i < std::max(before.size(), fingerprint.size()); ++i) {
        if (i >= before.size() || i >= fingerprint.size() || before[i] != fingerprint[i]) {
            const std::string& what = i < before.size() ? before[i].first : fingerprint[i].first;
            throw InvalidInput(concat(path.string(), ": ", what,
                                      " changed since the checkpoint was written; bake again without "
                                      "--resume"));
        }
    }
    SavedState saved;
    saved.state.frame = in.get<int>();
    saved.state.layers.resize(in.length(1));
    for (std::vector<double>& layer : saved.state.layers) {
        layer = in.numbers();
    }
    saved.frame_bytes = in.get<std::uint64_t>();
    return saved;
}

void write_state(const fs::path& path, const Fingerprint& fingerprint, const SavedState& saved) {
    std::vector<unsigned char> bytes;
    put(bytes, static_cast<std::uint64_t>(fingerprint.size()));
    for (const auto& [name, hash] : fingerprint) {
        put(bytes, static_cast<std::uint64_t>(name.size()));
        bytes.insert(bytes.end(), name.begin(), name.end());
        put(bytes, hash);
    }
    put(bytes, saved.state.frame);
    put(bytes, static_cast<std::uint64_t>(saved.state.layers.size()));
    for (const std::vector<double>& layer : saved.state.layers) {
        put(bytes, static_cast<std::uint64_t>(layer.size()));
        const auto* from = reinterpret_cast<const unsigned char*>(layer.data());
        bytes.insert(bytes.end(), from, from + layer.size() * sizeof(double));
    }
    put(bytes, saved.frame_bytes);
    AtomicFile file(path);
    file.write(magic, sizeof(magic) - 1);
    file.write(bytes.data(), bytes.size());
    const std::uint64_t hash = hash_of(bytes);
    file.write(&hash, sizeof(hash));
    file.commit();
}

CheckpointFolder::CheckpointFolder(fs::path folder, const Fingerprint& fingerprint, Begin begin)
    : folder_(std::move(folder)), fingerprint_(fingerprint) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
        throw IoError(concat(folder_.string(), ": folder cannot be made (", error.message(), ")"));
    }
    const bool has_state = fs::exists(folder_ / "state", error);
    if (begin == Begin::resume && has_state) {
        SavedState saved = read_state(folder_ / "state", fingerprint_);
        past_ = std::move(saved.state);
        saved_bytes_ = saved.frame_bytes;
        has_past_ = true;
    } else {
        fs::remove(folder_ / "state", error);
    }
    std::FILE* file = std::fopen((folder_ / "frames").c_str(), has_past_ ? "r+b" : "w+b");
    if (file == nullptr) {
        fail("opened");
    }
    if (has_past_) {
        if (std::fseek(file, 0, SEEK_END) != 0 || static_cast<std::uint64_t>(std::ftell(file)) < saved_bytes_) {
            std::fclose(file);
            StateReader({}, (folder_ / "frames").string()).damaged();
        }
        if (ftruncate(fileno(file), static_cast<off_t>(saved_bytes_)) != 0) {
            std::fclose(file);
            fail("cut");
        }
    }
    frames_ = std::make_shared<FrameStore>(file, folder_ / "frames", saved_bytes_);
}

CheckpointFolder::~CheckpointFolder() {
    // Nothing to resume from: no folder either.
    std::error_code ignored;
    if (!fs::exists(folder_ / "state", ignored)) {
        fs::remove_all(folder_, ignored);
    }
}

void CheckpointFolder::fail(const char* action) const {
    throw IoError(concat((folder_ / "frames").string(), ": cannot be ", action, " (", std::strerror(errno), ")"));
}

void CheckpointFolder::begin(const BakeInfo& info) {
    frames_->begin(info, "checkpoint");
    frames_saved_ = frames_->frame_count();
    frames_kept_ = frames_saved_;
    if (frames_->bytes() != saved_bytes_) {
        StateReader({}, (folder_ / "frames").string()).damaged();
    }
}

bool CheckpointFolder::read_frame(Frame& frame) {
    if (frames_read_ >= frames_saved_) {
        return false;
    }
    if (!frames_->read(frames_read_++, frame)) {
        StateReader({}, (folder_ / "frames").string()).damaged();
    }
    return true;
}

void CheckpointFolder::keep(const Frame& frame) {
    frames_->take(frame, frames_kept_++, "checkpoint");
}

void CheckpointFolder::save(const BakeState& state) {
    // The frames must be on disk before a state speaks of them.
    frames_->sync();
    write_state(folder_ / "state", fingerprint_, {state, frames_->bytes()});
}

void CheckpointFolder::remove() {
    std::error_code ignored;
    fs::remove(folder_ / "state", ignored);
    fs::remove_all(folder_, ignored);
}

}  // namespace cutis

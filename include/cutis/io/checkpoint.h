#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cutis/body/body.h"
#include "cutis/stack/checkpoint_store.h"
#include "cutis/stack/scene.h"

namespace cutis {

class FrameStore;

/// What a bake depends on, each with a hash: resuming with something else would mix two bakes.
using Fingerprint = std::vector<std::pair<std::string, std::uint64_t>>;

/// Of a scene's values alone, with what the command line changed: the program's version, [body], each [[decal]],
/// the range of frames, [output], each layer, in this order.
Fingerprint fingerprint_of_values(const Scene& scene, const std::string& version);

/// Of a scene's values (with what the command line changed), its input files, the body made from
/// them and this version.
/// \throw IoError
Fingerprint fingerprint_of(const Scene& scene, const Body& body, const std::string& version);

/// Content of a file. \throw IoError
std::uint64_t hash_of_file(const std::filesystem::path& path);

/// What a file of state holds: how far a bake has come, and how many bytes of its frames belong to it.
struct SavedState {
    BakeState state;
    std::uint64_t frame_bytes = 0;
};

/// \throw InvalidInput  written under another fingerprint (says what changed), damaged
SavedState read_state(const std::filesystem::path& path, const Fingerprint& fingerprint);
/// Whole or not at all. \throw IoError
void write_state(const std::filesystem::path& path, const Fingerprint& fingerprint, const SavedState& saved);

/// The past of one bake in a folder of its own: `state` (whole or not at all) and `frames` (grows;
/// what lies behind the last state is cut off when resuming).
class CheckpointFolder final : public CheckpointStore {
public:
    enum class Begin { anew, resume };

    /// \param folder  created if missing. Begin::resume without a state in it starts from the beginning.
    /// \throw InvalidInput  resume: another fingerprint (says what changed), a damaged file
    /// \throw IoError
    CheckpointFolder(std::filesystem::path folder, const Fingerprint& fingerprint, Begin begin);
    ~CheckpointFolder() override;
    CheckpointFolder(const CheckpointFolder&) = delete;
    CheckpointFolder& operator=(const CheckpointFolder&) = delete;

    void begin(const BakeInfo& info) override;
    const BakeState* past() const override { return has_past_ ? &past_ : nullptr; }
    bool read_frame(Frame& frame) override;
    void keep(const Frame& frame) override;
    void save(const BakeState& state) override;

    /// The same frames, for the outputs.
    std::shared_ptr<FrameStore> frames() const { return frames_; }

    /// The bake is complete: the folder goes away.
    void remove();

private:
    [[noreturn]] void fail(const char* action) const;

    std::filesystem::path folder_;
    Fingerprint fingerprint_;
    bool has_past_ = false;
    BakeState past_;
    std::shared_ptr<FrameStore> frames_;
    std::uint64_t saved_bytes_ = 0;  // of the frames the past state knows
    int frames_saved_ = 0;
    int frames_read_ = 0;
    int frames_kept_ = 0;
};

}  // namespace cutis

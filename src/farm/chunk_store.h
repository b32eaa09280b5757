#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "cutis/io/checkpoint.h"

namespace cutis::farm {

/// The past of a bake that is cut into chunks: each keeps its own frames and its last state in a folder of its own, and
/// reads those before it.
class ChunkStore final : public CheckpointStore {
public:
    struct Options {
        std::filesystem::path folder;               ///< of this chunk's frames and state
        std::uint64_t hash = 0;                     ///< of its task: a state of another one is refused
        std::vector<std::filesystem::path> before;  ///< folders of all chunks before it
        std::uint64_t before_hash = 0;              ///< of the last of them
        bool has_memory = true;                     ///< begins with the last state of the chunk before it
        bool is_first = true;                       ///< begins at the shot's beginning
        int layers = 0;
        int first_frame = 1;    ///< of its own; one more than the last where it has none
        bool reads_all = true;  ///< hands out all frames before it, for outputs; else only the last one
    };

    explicit ChunkStore(Options options);
    ~ChunkStore() override;

    void begin(const BakeInfo& info) override;
    const BakeState* past() const override { return has_past_ ? &past_ : nullptr; }
    bool read_frame(Frame& frame) override;
    void keep(const Frame& frame) override;
    void save(const BakeState& state) override;

    /// All frames are on the disk itself.
    void sync();
    /// Of its own, so far.
    int frames_kept() const { return kept_; }
    int saved_frame() const { return saved_frame_; }

private:
    std::shared_ptr<FrameStore> open_frames(const std::filesystem::path& folder, std::uint64_t bytes) const;
    BakeInfo info_from(const BakeInfo& info, int first) const;

    Options options_;
    bool has_past_ = false;
    BakeState past_;
    std::uint64_t own_bytes_ = 0;
    std::vector<std::shared_ptr<FrameStore>> before_;
    std::shared_ptr<FrameStore> own_;
    size_t reading_ = 0;  // which store, and which of its frames
    int next_ = 0;
    int own_saved_ = 0;
    int kept_ = 0;
    int saved_frame_ = 0;
};

}  // namespace cutis::farm

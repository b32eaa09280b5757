#include "farm/chunk_store.h"

#include <cerrno>
#include <cstring>

#include "cutis/core/error.h"
#include "io/store/frame_store.h"

namespace cutis::farm {

namespace fs = std::filesystem;

namespace {

Fingerprint fingerprint(std::uint64_t hash) {
    return {{"the task", hash}};
}

[[noreturn]] void damaged(const fs::path& folder) {
    throw IoError(concat((folder / "frames").string(), ": frames of an earlier chunk are damaged or not there"));
}

}  // namespace

ChunkStore::ChunkStore(Options options) : options_(std::move(options)) {
    std::error_code error;
    if (fs::exists(options_.folder / "state", error)) {
        SavedState saved = read_state(options_.folder / "state", fingerprint(options_.hash));
        past_ = std::move(saved.state);
        own_bytes_ = saved.frame_bytes;
        has_past_ = true;
    } else if (!options_.has_memory && !options_.is_first) {
        // A layer without memory has nothing to save.
        past_.frame = options_.first_frame - 1;
        past_.layers.resize(static_cast<size_t>(options_.layers));
        has_past_ = true;
    } else if (options_.has_memory && !options_.before.empty()) {
        past_ = read_state(options_.before.back() / "state", fingerprint(options_.before_hash)).state;
        has_past_ = true;
    }
}

ChunkStore::~ChunkStore() = default;

std::shared_ptr<FrameStore> ChunkStore::open_frames(const fs::path& folder, std::uint64_t bytes) const {
    std::FILE* file = std::fopen((folder / "frames").c_str(), "rb");
    if (file == nullptr) {
        throw IoError(concat((folder / "frames").string(), ": cannot be read (", std::strerror(errno), ")"));
    }
    return std::make_shared<FrameStore>(file, folder / "frames", bytes);
}

BakeInfo ChunkStore::info_from(const BakeInfo& info, int first) const {
    BakeInfo own = info;
    own.frame_count = info.first_frame + info.frame_count - first;
    own.first_frame = first;
    return own;
}

void ChunkStore::begin(const BakeInfo& info) {
    int first = info.first_frame;
    for (const fs::path& folder : options_.before) {
        std::error_code error;
        const std::uintmax_t bytes = fs::file_size(folder / "frames", error);
        if (error) {
            damaged(folder);
        }
        before_.push_back(open_frames(folder, bytes));
        before_.back()->begin(info_from(info, first), "chunk");
        first += before_.back()->frame_count();
    }
    if (!options_.reads_all) {
        first = options_.first_frame;  // chunks that this one does not read come before it
    } else if (first != options_.first_frame) {
        damaged(options_.before.empty() ? options_.folder : options_.before.back());
    }
    if (first > info.first_frame + info.frame_count - 1) {
        return;  // it joins, and makes none itself
    }
    std::FILE* file = std::fopen((options_.folder / "frames").c_str(), own_bytes_ > 0 ? "r+b" : "w+b");
    if (file == nullptr) {
        throw IoError(
            concat((options_.folder / "frames").string(), ": cannot be written (", std::strerror(errno), ")"));
    }
    own_ = std::make_shared<FrameStore>(file, options_.folder / "frames", own_bytes_);
    own_->begin(info_from(info, first), "chunk");
    own_saved_ = kept_ = own_->frame_count();
    if (own_->bytes() != own_bytes_) {
        damaged(options_.folder);
    }
}

bool ChunkStore::read_frame(Frame& frame) {
    std::vector<FrameStore*> stores;
    for (const auto& store : before_) {
        stores.push_back(store.get());
    }
    if (own_saved_ > 0) {
        stores.push_back(own_.get());
    }
    if (!options_.reads_all && next_ == 0 && reading_ == 0 && !stores.empty()) {
        // Only the last one is the past of the next.
        reading_ = stores.size() - 1;
        next_ = (stores.back() == own_.get() ? own_saved_ : stores.back()->frame_count()) - 1;
    }
    while (reading_ < stores.size()) {
        FrameStore& store = *stores[reading_];
        if (next_ < (&store == own_.get() ? own_saved_ : store.frame_count())) {
            if (!store.read(next_++, frame)) {
                damaged(&store == own_.get() ? options_.folder : options_.before[reading_]);
            }
            return true;
        }
        ++reading_;
        next_ = 0;
    }
    return false;
}

void ChunkStore::keep(const Frame& frame) {
    own_->take(frame, kept_++, "chunk");
}

void ChunkStore::sync() {
    own_->sync();
}

void ChunkStore::save(const BakeState& state) {
    own_->sync();
    write_state(options_.folder / "state", fingerprint(options_.hash), {state, own_->bytes()});
    saved_frame_ = state.frame;
}

}  // namespace cutis::farm

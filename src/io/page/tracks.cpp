#include "io/page/tracks.h"

#include <limits>

#include "cutis/core/error.h"

namespace cutis {
namespace {

PageTracks::Json motion_json(PageSections& sections, const std::string& name,
                             const PackedMotion& motion) {
    PageTracks::Json json = {
        {"width", motion.width}, {"count", motion.points}, {"rank", motion.rank}};
    json["mean"] = sections.add(name + ".mean", motion.mean);
    if (motion.rank > 0) {
        json["basis"] = sections.add(name + ".basis", motion.basis);
        json["weights"] = sections.add(name + ".weights", motion.weights);
    }
    json["scales"] = motion.scales;
    json["error"] = motion.max_error;
    return json;
}

}  // namespace

std::size_t PageTracks::add(const std::string& name, int points, int width, double tolerance) {
    const std::size_t first = numbers_per_frame_;
    numbers_per_frame_ += static_cast<std::size_t>(points) * static_cast<std::size_t>(width);
    if (numbers_per_frame_ > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw InvalidInput("html: too many numbers per frame for a page");
    }
    tracks_.push_back({name, {static_cast<int>(first), points, width, tolerance}});
    return tracks_.size() - 1;
}

void PageTracks::open(const std::filesystem::path& beside) {
    store_ = std::make_unique<CoordinateStore>(beside, numbers_per_frame_);
}

PageTracks::Json PageTracks::pack(PageSections& sections) {
    Json motions = Json::object();
    for (Track& track : tracks_) {
        const PackedMotion motion = pack_motion(*store_, track.place);
        motions[track.name] = motion_json(sections, track.name, motion);
        track.rank = motion.rank;
        track.max_error = motion.max_error;
    }
    return motions;
}

}  // namespace cutis

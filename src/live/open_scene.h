#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cutis/live/session.h"
#include "live/hands.h"
#include "live/live_motion.h"
#include "live/recording.h"

namespace cutis {

/// Everything of the scene that is open.
struct OpenScene {
    std::string text;
    std::string demo;  // its name, where it is one
    Scene scene;
    std::optional<Body> clip;  // as the scene has it
    std::shared_ptr<LiveMotion> motion;
    std::optional<Body> body;  // as the session moves it
    std::unique_ptr<LayerStack> stack;
    std::vector<std::shared_ptr<LayerPlan>> plans;
    Frame frame;
    std::unique_ptr<Hands> hands;
    std::vector<RecordedCommand> recorded;  // of the scene, to be played
    size_t played = 0;

    std::vector<double> prepare_seconds;  // of each layer, with those that have to follow it

    double dt() const { return 1.0 / scene.fps; }
};

/// Prepares everything; needs nothing of a session but its options, so that it may run beside one.
/// \throw InvalidInput, SolverFailure, IoError  as a bake does
std::unique_ptr<OpenScene> open_scene(const Scene& scene, const SessionOptions& options);
/// The same from text.
/// \param is_page  files that it names must be those that were handed in
std::unique_ptr<OpenScene> read_open_scene(const std::string& text, const std::filesystem::path& folder, bool is_page,
                                           const SessionOptions& options);
/// The layers of its plans, prepared on the body's clip.
void add_layers(OpenScene& to, const SessionOptions& options);
/// Layers go on as they were in another scene of the same kinds of layers on the same body.
void take_over_layers(OpenScene& to, const OpenScene& from, const LayerStack& before);
/// One goes on as the other was: motion, layers, hands, which it takes away.
void take_place_of(OpenScene& next, OpenScene& before);

/// Layers with their options, clips and joints, for a page.
Json describe_scene(const OpenScene& scene);

}  // namespace cutis

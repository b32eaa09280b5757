#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/io/json.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/layer_stack.h"

namespace cutis {

/// What a session is lent.
struct SessionOptions {
    const Workers* workers = nullptr;          ///< required
    ActorLoader actors;                        ///< finds built-in characters
    std::vector<std::string> characters;       ///< those it finds, for a list
    std::map<std::string, std::string> demos;  ///< scenes by name, as text
    std::filesystem::path folder;              ///< files that are handed in go here; paths of scenes are relative to it
    bool packs = true;                         ///< positions as 16-bit shares of a box; false: as floats
    /// Seconds. A layer that takes longer to be prepared again is prepared on another thread, while those that are
    /// there go on; it takes effect with a later step, where it is recorded. Infinity: none is.
    double patience = std::numeric_limits<double>::infinity();
    bool keeps_past = false;  ///< all of the body's past can be read, as writers of frames do
    bool measures = true;     ///< frames hold what layers cost; false: they are the same whenever they are made
};

/// A scene that is alive: a playing clock, the layers, and hands that hold what they move. Takes commands between
/// steps; the same commands at the same steps give the same frames to the bit.
///
/// Commands and answers are JSON objects; docs/live.md lists them. One thread at a time, no input or output but the
/// files of `folder`.
class Session {
public:
    explicit Session(SessionOptions options);
    ~Session();

    /// A command; never throws for what a page may send.
    /// \return {"ok": true, ...}, or {"error": "..."}: nothing has changed then
    Json apply(const Json& command);
    /// Opens a scene whose files may be anywhere. \return as apply
    Json open(const std::string& scene, const std::filesystem::path& folder);
    /// The same for one that was read. \return as apply
    Json open(const Scene& scene);
    /// A file a later command may name. \return as apply
    Json take_file(const std::string& name, std::span<const unsigned char> bytes);

    /// The next step of the clock. \return false: nothing is open, or it is paused and nothing has changed
    bool step();
    /// What changed with the last step, packed: see docs/live.md. Valid until the next call.
    const std::vector<unsigned char>& frame() const;
    /// Whether it announces the meshes: later frames mean nothing without it.
    bool announces() const;
    /// Seconds from one step to the next for the viewer.
    double interval() const;

    /// Positions of the mesh and of layers' details after the last step, exact.
    const Frame* state() const;
    /// The layers that made them; null: nothing is open. Others after a command that prepares one again.
    const LayerStack* layers() const;
    /// What went wrong in the last step; empty: nothing.
    const std::string& problem() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace cutis

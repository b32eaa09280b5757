#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cutis/io/glb_write.h"
#include "cutis/io/npz_write.h"
#include "cutis/io/page_write.h"
#include "cutis/stack/scene.h"
#include "cutis/stack/sink.h"

namespace cutis {

/// Options of all formats; those without any are not here.
struct SinkOptions {
    GlbOptions glb;
    NpzOptions npz;
    PageOptions html;
};

/// A table for each format: [output.glb] and so on.
Options describe(SinkOptions& options);

/// What a scene says in the tables of its formats.
/// \param defaults  for what it does not say
/// \throw InvalidInput  with the place in the scene file
SinkOptions sink_options(const Scene& scene, SinkOptions defaults = {});

/// Names make_sink() takes: glb, usda, obj, pc2, mdd, npz, html.
const std::vector<std::string>& known_formats();

/// The writer of a format, for FOLDER/NAME.EXTENSION (obj: FOLDER/NAME.0001.obj and so on).
/// \param folder  must exist
/// \param name    a plain file name without folders
/// \throw InvalidInput  no such format (the message lists what there is), or a name that is empty
///                      or leads elsewhere
std::unique_ptr<FrameSink> make_sink(const std::string& format, const std::filesystem::path& folder,
                                     const std::string& name, const SinkOptions& options = {});

}  // namespace cutis

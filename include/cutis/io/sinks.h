#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cutis/io/page_write.h"
#include "cutis/stack/sink.h"

namespace cutis {

/// Choices of all formats in one place; each format takes what concerns it.
struct SinkOptions {
    double tolerance = 1e-4;     ///< glb: fraction of the box diagonal, 1e-7 .. 0.1
    double uv_tolerance = 1e-4;  ///< glb: fraction of the picture, 1e-7 .. 0.1
    bool keep_skin = true;       ///< glb: skeleton and skin where they still describe the shape
    bool use_float32 = false;    ///< npz: half the size
    PageOptions page;            ///< html
};

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

#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "cutis/body/clip.h"
#include "cutis/body/skeleton.h"

namespace cutis {

/// A skeleton and the motion of its joints. retarget_clip (body/retarget.h) puts the
/// motion onto another skeleton with the same joint names.
struct BvhMotion {
    Skeleton skeleton;        ///< joints in file order (parents first); rest: offsets without rotation
    Clip clip;                ///< linear keys every frame_time: rotation of each joint with such channels,
                              ///< translation where the file has position channels
    double frame_time = 0.0;  ///< seconds
};

/// BVH motion capture.
///
/// | in the file             | read as                                                          |
/// |-------------------------|------------------------------------------------------------------|
/// | ROOT, JOINT             | Node; several roots are allowed                                  |
/// | OFFSET                  | rest translation, times `scale`                                  |
/// | CHANNELS                | X/Y/Z position and rotation, any number and order; rotations are |
/// |                         | multiplied as listed (the first is outermost), degrees           |
/// | End Site                | checked, not kept: it has no name and no motion                  |
/// | Frames, Frame Time      | key times i * frame_time                                         |
/// | positions, root         | the translation itself                                           |
/// | positions, other joints | the translation, or what is added to OFFSET: files differ. Taken |
/// |                         | as added where the first frame is nearer to 0 than to OFFSET     |
///
/// Quaternions keep a continuous sign from key to key. LF, CRLF; spaces or tabs.
///
/// \param scale  length of one unit of the file in metres (CMU files: about 0.056)
/// \throw InvalidInput  anything else: `walk.bvh: line 12: expected ..., found ...`
/// \throw IoError       missing or unreadable
BvhMotion read_bvh(const std::filesystem::path& path, double scale = 1.0);
BvhMotion read_bvh(std::span<const unsigned char> bytes, const std::string& source, double scale = 1.0);

}  // namespace cutis

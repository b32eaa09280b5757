#include "cutis/io/usda_write.h"

#include "io/number_text.h"
#include "io/usd/copies.h"
#include "io/usd/text.h"

namespace cutis {
namespace {

class UsdaSink final : public CheckedSink {
public:
    explicit UsdaSink(std::filesystem::path path) : CheckedSink("usda"), path_(std::move(path)) {}

private:
    void start() override {
        file_ = std::make_unique<AtomicFile>(path_);
        write_stage();
        std::set<std::string> names;
        for (const MeshInfo& mesh : meshes()) {
            if (mesh.copies != nullptr) {
                written_.push_back(nullptr);
                copies_.push_back(std::make_unique<UsdaCopies>(
                    path_, "/" + root_, mesh, usd_identifier(mesh.name, "detail", names)));
                continue;
            }
            copies_.push_back(nullptr);
            // The body's points are the bulk and come first: straight into the file.
            AtomicFile* stream = written_.empty() ? file_.get() : nullptr;
            written_.push_back(std::make_unique<UsdaMesh>(
                path_, stream, mesh, usd_identifier(mesh.name, "skin", names)));
        }
    }

    void write_stage() {
        std::set<std::string> root_names;
        root_ = usd_identifier(path_.stem().string(), "body", root_names);
        std::string fps;
        append_number(fps, info().fps);
        const int last = info().first_frame + info().frame_count - 1;
        file_->write(
            "#usda 1.0\n(\n    defaultPrim = \"" + root_ +
            "\"\n    endTimeCode = " + std::to_string(last) + "\n    framesPerSecond = " + fps +
            "\n    metersPerUnit = 1\n    startTimeCode = " + std::to_string(info().first_frame) +
            "\n    timeCodesPerSecond = " + fps + "\n    upAxis = \"Y\"\n)\n\n");
        file_->write("def Xform \"" + root_ + "\"\n{\n");
    }

    void take(const Frame& frame, int /*index*/) override {
        for (size_t m = 0; m < written_.size(); ++m) {
            if (copies_[m]) {
                copies_[m]->take(frame.number, frame.meshes[m]);
            } else {
                written_[m]->take(frame.number, frame.meshes[m]);
            }
        }
    }

    std::vector<OutputFile> complete() override {
        for (size_t m = 0; m < written_.size(); ++m) {
            file_->write(m == 0 ? "" : "\n");
            if (copies_[m]) {
                copies_[m]->finish(*file_);
            } else {
                written_[m]->finish(*file_);
            }
        }
        file_->write("}\n");
        return {{"usda", path_.string(), file_->commit(), {}}};
    }

    std::filesystem::path path_;
    std::unique_ptr<AtomicFile> file_;
    std::string root_;
    std::vector<std::unique_ptr<UsdaMesh>> written_;   // null where a detail has copies
    std::vector<std::unique_ptr<UsdaCopies>> copies_;  // null elsewhere
};

}  // namespace

std::unique_ptr<FrameSink> make_usda_sink(const std::filesystem::path& path) {
    return std::make_unique<UsdaSink>(path);
}

}  // namespace cutis

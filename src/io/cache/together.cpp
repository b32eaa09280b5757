#include "io/cache/together.h"

namespace cutis {

std::filesystem::path beside(const std::filesystem::path& path, const std::string& ending) {
    std::filesystem::path other = path;
    other.replace_extension();
    other += "." + ending;
    return other;
}

std::vector<OutputFile> commit_together(const std::string& format,
                                        const std::vector<std::unique_ptr<AtomicFile>>& files) {
    for (const auto& file : files) {
        file->flush();
    }
    std::vector<OutputFile> written;
    written.reserve(files.size());
    for (const auto& file : files) {
        written.push_back({format, file->path().string(), file->commit(), {}});
    }
    return written;
}

}  // namespace cutis

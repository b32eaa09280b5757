#include "support/undescribed.h"

#include <cstring>

namespace cutis::test {

void fill_bytes(void* memory, size_t count, unsigned char value) {
    std::memset(memory, value, count);
}

void mark_described(const Options& options, const void* object, std::vector<bool>& is_described) {
    const auto* begin = static_cast<const std::byte*>(object);
    for (const Option& option : options) {
        if (const auto* inner = std::get_if<TableField>(&option.field.any())) {
            mark_described(inner->options(), object, is_described);
            continue;
        }
        for (const std::byte& byte : bytes_of(option)) {
            const auto at = static_cast<size_t>(&byte - begin);
            if (&byte >= begin && at < is_described.size()) {
                is_described[at] = true;
            }
        }
    }
}

}  // namespace cutis::test

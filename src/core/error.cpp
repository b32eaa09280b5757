#include <cutis/core/error.h>

#include <cutis/core/types.h>

#include <cstdio>

namespace cutis {

void Piece::append_to(std::string& message) const {
    switch (kind_) {
        case Kind::text:
            message += text_;
            break;
        case Kind::sign:
            message += static_cast<char>(whole_);
            break;
        case Kind::whole:
            message += (is_negative_ ? "-" : "") + std::to_string(whole_);
            break;
        case Kind::real: {
            char digits[32];
            std::snprintf(digits, sizeof digits, "%g", real_);
            message += digits;
        }
    }
}

std::string concat_pieces(std::initializer_list<Piece> pieces) {
    std::string message;
    for (const Piece& piece : pieces) {
        piece.append_to(message);
    }
    return message;
}

std::string text_of(const Eigen::Ref<const VectorXd>& vector) {
    std::string text;
    for (const double number : vector) {
        text += concat(text.empty() ? "" : " ", number);
    }
    return text;
}

void refuse(std::initializer_list<Piece> pieces) {
    throw InvalidInput(concat_pieces(pieces));
}

}  // namespace cutis

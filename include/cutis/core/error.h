#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cutis {

/// Root of everything this library throws. The message says what was expected, what was found and
/// where.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What the caller handed in cannot be used: a mesh, a number, a name, the content of a file.
class InvalidInput : public Error {
public:
    using Error::Error;
};

/// The file system refused: missing, unreadable, unwritable, full.
class IoError : public Error {
public:
    using Error::Error;
};

/// Good input, but a solve did not succeed.
class SolverFailure : public Error {
public:
    using Error::Error;
};

/// One piece of a message: text, a sign or a number. Looks at text, does not keep it.
class Piece {
public:
    Piece(std::string_view text) : text_(text) {}
    Piece(const std::string& text) : text_(text) {}
    Piece(const char* text) : text_(text) {}
    Piece(char sign) : kind_(Kind::sign), whole_(sign) {}
    Piece(double number) : kind_(Kind::real), real_(number) {}
    Piece(std::integral auto number)
        : kind_(Kind::whole),
          is_negative_(number < 0),
          whole_(is_negative_ ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number)) {}

    void append_to(std::string& message) const;

private:
    enum class Kind { text, sign, whole, real };
    Kind kind_ = Kind::text;
    bool is_negative_ = false;
    std::string_view text_;
    std::uint64_t whole_ = 0;  // the magnitude, or the sign's code
    double real_ = 0.0;
};

std::string concat_pieces(std::initializer_list<Piece> pieces);

/// Message from its pieces: `concat("weights: row ", row, " sums to ", sum, ", expected 1")`.
template <class... Pieces>
std::string concat(const Pieces&... pieces) {
    return concat_pieces({Piece(pieces)...});
}

/// \throw InvalidInput with the message the pieces make.
[[noreturn]] void refuse(std::initializer_list<Piece> pieces);

/// Input of the caller must fulfil the condition; the pieces say what was expected and found.
/// \throw InvalidInput
template <class... Pieces>
void require(bool condition, const Pieces&... pieces) {
    if (!condition) [[unlikely]] {
        refuse({Piece(pieces)...});
    }
}

}  // namespace cutis

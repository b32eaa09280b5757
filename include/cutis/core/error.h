#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

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

/// The file system said no: missing, unreadable, unwritable, full.
class IoError : public Error {
public:
    using Error::Error;
};

/// Good input, but a solve did not succeed.
class SolverFailure : public Error {
public:
    using Error::Error;
};

/// Message from its pieces: `say("weights: row ", row, " sums to ", sum, ", expected 1")`.
template <class... Pieces>
std::string say(const Pieces&... pieces) {
    std::ostringstream text;
    (text << ... << pieces);
    return text.str();
}

}  // namespace cutis

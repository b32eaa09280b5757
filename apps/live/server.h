#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cutis::app {

/// What came from the page.
struct PageMessage {
    std::string command;               ///< JSON; empty: a file
    std::string file;                  ///< its name
    std::vector<unsigned char> bytes;  ///< of the file
};

/// The page of `cutis live` on the loopback address, for one page that has the token: HTTP for the page and for files,
/// a WebSocket for commands and frames. Everything else gets nothing.
class LiveServer {
public:
    /// \param port  0: any that is free
    /// \throw IoError  the port is taken
    LiveServer(const std::string& page, int port);
    ~LiveServer();
    LiveServer(const LiveServer&) = delete;
    LiveServer& operator=(const LiveServer&) = delete;

    /// With the token.
    std::string address() const;
    bool has_page() const;
    /// Seconds since the last page left; below 0: one is there, or none has ever been.
    double seconds_alone() const;
    /// How often a page has come.
    int visits() const;

    /// What arrived since the last call, in order.
    std::deque<PageMessage> take_messages();
    /// Arrives, in order.
    void answer(std::string text);
    /// The newest wins where the page is slower. \param must_arrive  later ones mean nothing without it
    void show(const std::vector<unsigned char>& frame, bool must_arrive);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace cutis::app

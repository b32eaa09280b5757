#include "server.h"

#include <civetweb.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>

#include "cutis/core/error.h"

namespace cutis::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t most_file_bytes = size_t{1} << 29U;
constexpr size_t most_command_bytes = size_t{1} << 20U;
constexpr size_t most_waiting = 4096;  // commands
constexpr int most_under_way = 2;      // frames that the page has not drawn yet

std::string random_token() {
    std::random_device source;
    std::string token;
    for (int i = 0; i < 32; ++i) {
        token += "0123456789abcdef"[source() & 15U];
    }
    return token;
}

/// Takes as long wherever the two differ.
bool is_equal(const std::string& a, const std::string& b) {
    unsigned difference = a.size() == b.size() ? 0U : 1U;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    }
    return difference == 0;
}

int refuse(mg_connection* connection, int code, const char* words) {
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", code,
              words, static_cast<int>(std::strlen(words)), words);
    return code;
}

}  // namespace

struct LiveServer::Parts {
    std::string page;
    std::string token = random_token();
    int port = 0;
    mg_context* context = nullptr;

    mutable std::mutex mutex;
    std::condition_variable news;
    mg_connection* socket = nullptr;  // of the page that is there
    int visits = 0;
    Clock::time_point left;
    int under_way = 0;
    std::deque<PageMessage> messages;
    struct Out {
        int kind = MG_WEBSOCKET_OPCODE_TEXT;
        std::string bytes;
    };
    std::deque<Out> answers;
    std::string frame;  // the newest that may be dropped; empty: none
    bool is_writing = false;
    bool is_over = false;
    std::thread sender;
    std::string half;  // of a message in several pieces

    bool is_ours(const mg_connection* connection, const std::string& path) const {
        const mg_request_info* info = mg_get_request_info(connection);
        const char* host = mg_get_header(connection, "Host");
        const std::string end = ":" + std::to_string(port);
        return info->local_uri != nullptr && is_equal(info->local_uri, "/" + token + "/" + path) && host != nullptr &&
               (host == "127.0.0.1" + end || host == "localhost" + end);
    }
    /// Of the page itself; a browser always says where a WebSocket or a POST comes from.
    bool is_own_origin(const mg_connection* connection) const {
        const char* origin = mg_get_header(connection, "Origin");
        const char* host = mg_get_header(connection, "Host");
        return origin != nullptr && host != nullptr && origin == std::string("http://") + host;
    }

    static int on_request(mg_connection* connection, void* data) {
        auto& self = *static_cast<Parts*>(data);
        const mg_request_info* info = mg_get_request_info(connection);
        if (std::strcmp(info->request_method, "GET") == 0 && self.is_ours(connection, "")) {
            mg_printf(connection,
                      "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %zu\r\n"
                      "Cache-Control: no-store\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
                      "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
                      self.page.size());
            mg_write(connection, self.page.data(), self.page.size());
            return 200;
        }
        if (std::strcmp(info->request_method, "POST") == 0 && self.is_ours(connection, "file") &&
            self.is_own_origin(connection)) {
            return self.take_file(connection, info);
        }
        return refuse(connection, 403, "not for you");
    }

    int take_file(mg_connection* connection, const mg_request_info* info) {
        const char* name = mg_get_header(connection, "X-Name");
        if (name == nullptr || info->content_length < 0 ||
            info->content_length > static_cast<long long>(most_file_bytes)) {
            return refuse(connection, 413, "too large");
        }
        PageMessage message;
        message.file.resize(std::strlen(name) + 1);
        const int length = mg_url_decode(name, static_cast<int>(std::strlen(name)), message.file.data(),
                                         static_cast<int>(message.file.size()), 0);
        message.file.resize(static_cast<size_t>(std::max(0, length)));
        message.bytes.resize(static_cast<size_t>(info->content_length));
        size_t at = 0;
        while (at < message.bytes.size()) {
            const int got = mg_read(connection, message.bytes.data() + at, message.bytes.size() - at);
            if (got <= 0) {
                return refuse(connection, 400, "incomplete");
            }
            at += static_cast<size_t>(got);
        }
        const std::lock_guard lock(mutex);
        messages.push_back(std::move(message));
        mg_printf(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        return 200;
    }

    static int on_connect(const mg_connection* connection, void* data) {
        auto& self = *static_cast<Parts*>(data);
        const std::lock_guard lock(self.mutex);
        const bool is_welcome =
            self.is_ours(connection, "socket") && self.is_own_origin(connection) && self.socket == nullptr;
        return is_welcome ? 0 : 1;
    }

    static void on_ready(mg_connection* connection, void* data) {
        auto& self = *static_cast<Parts*>(data);
        const std::lock_guard lock(self.mutex);
        self.socket = connection;
        self.under_way = 0;
        self.answers.clear();
        self.frame.clear();
        self.half.clear();
        ++self.visits;
        self.news.notify_all();
    }

    static int on_data(mg_connection* connection, int bits, char* bytes, size_t count, void* data) {
        auto& self = *static_cast<Parts*>(data);
        const int kind = bits & 15;
        if (kind == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE) {
            return 0;
        }
        if (kind != MG_WEBSOCKET_OPCODE_TEXT && kind != MG_WEBSOCKET_OPCODE_CONTINUATION) {
            return 1;
        }
        const std::lock_guard lock(self.mutex);
        if (self.socket != connection || self.half.size() + count > most_command_bytes ||
            self.messages.size() > most_waiting) {
            return 0;
        }
        self.half.append(bytes, count);
        if ((bits & 128) == 0) {
            return 1;
        }
        if (self.half == "drawn") {
            self.under_way = std::max(0, self.under_way - 1);
            self.news.notify_all();
        } else {
            self.messages.push_back({std::move(self.half), "", {}});
        }
        self.half.clear();
        return 1;
    }

    static void on_close(const mg_connection* connection, void* data) {
        auto& self = *static_cast<Parts*>(data);
        std::unique_lock lock(self.mutex);
        if (self.socket == connection) {
            self.news.wait(lock, [&self] { return !self.is_writing; });  // it does not go while it is written to
            self.socket = nullptr;
            self.left = Clock::now();
        }
    }

    /// Writing waits for the page: a thread of its own.
    void send_all() {
        std::unique_lock lock(mutex);
        while (!is_over) {
            const bool has_frame = !frame.empty() && under_way < most_under_way;
            if (socket == nullptr || (answers.empty() && !has_frame)) {
                news.wait_for(lock, std::chrono::milliseconds(100));
                continue;
            }
            Out out;
            if (!answers.empty()) {
                out = std::move(answers.front());
                answers.pop_front();
            } else {
                out = {MG_WEBSOCKET_OPCODE_BINARY, std::move(frame)};
                frame.clear();
            }
            under_way += out.kind == MG_WEBSOCKET_OPCODE_BINARY ? 1 : 0;
            mg_connection* to = socket;
            is_writing = true;
            lock.unlock();
            mg_websocket_write(to, out.kind, out.bytes.data(), out.bytes.size());
            lock.lock();
            is_writing = false;
            news.notify_all();
        }
    }
};

LiveServer::LiveServer(const std::string& page, int port) : parts_(std::make_unique<Parts>()) {
    Parts& p = *parts_;
    p.page = page;
    mg_init_library(0);
    const std::string place = "127.0.0.1:" + std::to_string(port);
    const std::array<const char*, 11> options = {"listening_ports",
                                                 place.c_str(),
                                                 "num_threads",
                                                 "6",
                                                 "request_timeout_ms",
                                                 "10000",
                                                 "websocket_timeout_ms",
                                                 "3600000",
                                                 "enable_directory_listing",
                                                 "no",
                                                 nullptr};
    mg_callbacks callbacks = {};
    callbacks.log_message = [](const mg_connection*, const char*) { return 1; };
    p.context = mg_start(&callbacks, &p, const_cast<const char**>(options.data()));
    if (p.context == nullptr) {
        throw IoError(concat("live: port ", port, " of 127.0.0.1 cannot be taken; --port 0 takes any"));
    }
    std::array<mg_server_port, 4> ports = {};
    const int count = mg_get_server_ports(p.context, static_cast<int>(ports.size()), ports.data());
    p.port = count > 0 ? ports[0].port : port;
    mg_set_request_handler(p.context, "**", &Parts::on_request, &p);
    mg_set_websocket_handler(p.context, "**", &Parts::on_connect, &Parts::on_ready, &Parts::on_data, &Parts::on_close,
                             &p);
    p.sender = std::thread([&p] { p.send_all(); });
}

LiveServer::~LiveServer() {
    Parts& p = *parts_;
    {
        const std::lock_guard lock(p.mutex);
        p.is_over = true;
        p.news.notify_all();
    }
    p.sender.join();
    mg_stop(p.context);
    mg_exit_library();
}

std::string LiveServer::address() const {
    return concat("http://127.0.0.1:", parts_->port, "/", parts_->token, "/");
}

bool LiveServer::has_page() const {
    const std::lock_guard lock(parts_->mutex);
    return parts_->socket != nullptr;
}

int LiveServer::visits() const {
    const std::lock_guard lock(parts_->mutex);
    return parts_->visits;
}

double LiveServer::seconds_alone() const {
    const std::lock_guard lock(parts_->mutex);
    if (parts_->socket != nullptr || parts_->visits == 0) {
        return -1.0;
    }
    return std::chrono::duration<double>(Clock::now() - parts_->left).count();
}

std::deque<PageMessage> LiveServer::take_messages() {
    const std::lock_guard lock(parts_->mutex);
    std::deque<PageMessage> all;
    all.swap(parts_->messages);
    return all;
}

void LiveServer::answer(std::string text) {
    const std::lock_guard lock(parts_->mutex);
    parts_->answers.push_back({MG_WEBSOCKET_OPCODE_TEXT, std::move(text)});
    parts_->news.notify_all();
}

void LiveServer::show(const std::vector<unsigned char>& frame, bool must_arrive) {
    const std::lock_guard lock(parts_->mutex);
    if (parts_->socket == nullptr) {
        return;
    }
    std::string bytes(frame.begin(), frame.end());
    if (must_arrive) {
        parts_->frame.clear();  // an older one would be drawn on meshes that are no more
        parts_->answers.push_back({MG_WEBSOCKET_OPCODE_BINARY, std::move(bytes)});
    } else {
        parts_->frame = std::move(bytes);
    }
    parts_->news.notify_all();
}

}  // namespace cutis::app

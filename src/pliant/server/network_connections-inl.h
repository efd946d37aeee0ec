#pragma once
// Connections of browsers and viewers. Only for network.cpp: the one place where Boost.Beast is seen.
#include <fmt/format.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <utility>
// Asio of this Boost wants <utility> first.
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "pliant/base/error.h"
#include "pliant/server/network.h"
#include "pliant/server/url.h"

namespace pliant::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using boost::system::error_code;

/// What a page may load and run: its own files.
inline constexpr const char* content_policy =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self' ws:; worker-src 'self' blob:; base-uri 'none'";

inline constexpr std::size_t most_browsers = 256;      // connections that speak HTTP at once
inline constexpr unsigned longest_header = 16 * 1024;  // bytes
inline constexpr int send_buffer =
    256 * 1024;  // what the system holds of frames for a viewer: more would only be older

inline std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

class Viewer;
class Browser;

/// Belongs to the network's thread, but for what says otherwise.
struct NetworkState {
  NetworkState(const NetworkOptions& o, NetworkEvents e) : options(o), events(std::move(e)) {}

  NetworkOptions options;
  NetworkEvents events;
  std::set<Browser*> browsers;  // before the context, whose end is that of the last of them
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  asio::steady_timer timer{context};  // to accept again after the system had no sockets left, and to end
  int port = 0;
  std::thread thread;
  bool stopping = false;

  std::map<int, std::shared_ptr<Viewer>> viewers;
  int next_id = 1;
  bool uploading = false;
  std::vector<Bytes> latest;  // frames

  // Frames on their way to the thread: only the last count. Any thread.
  std::mutex mailbox_mutex;
  std::vector<Bytes> mailbox;
  bool mailbox_announced = false;

  // Any thread.
  std::atomic<std::int64_t> frames_sent{0}, frames_missed{0}, bytes_sent{0}, clients_seen{0};

  void listen();
  void accept();
  std::vector<std::shared_ptr<Viewer>> everybody() const;  // a copy: whoever is closed leaves the list
  void show_frames(std::vector<Bytes> frames);
  void end();
};

// === A viewer

class Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  Viewer(NetworkState& state, beast::tcp_stream&& stream) : state_(state), socket_(std::move(stream)) {}

  template <class Message>
  void begin(const Message& request) {
    auto timeouts = websocket::stream_base::timeout::suggested(beast::role_type::server);
    timeouts.idle_timeout = std::chrono::seconds(60);
    timeouts.keep_alive_pings = true;
    socket_.set_option(timeouts);
    socket_.read_message_max(0);  // read() has a limit of its own
    socket_.auto_fragment(false);
    error_code ignored;
    beast::get_lowest_layer(socket_).socket().set_option(asio::socket_base::send_buffer_size(send_buffer),
                                                         ignored);
    socket_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (!error) self->join();
    });
  }

  void send(Bytes text) {
    if (!open_) return;
    if (++unsent_texts_ > state_.options.most_unsent_messages) {
      drop();
      return;
    }
    unsent_.push_back({std::move(text), false, false});
    write();
  }

  void send_frames(const std::vector<Bytes>& frames) {
    if (!open_ || frames.empty()) return;
    if (unsent_frames_ >= state_.options.most_unsent_frames) {
      missed_ = true;
      ++state_.frames_missed;
      return;
    }
    missed_ = false;
    ++unsent_frames_;
    for (std::size_t i = 0; i < frames.size(); ++i)
      unsent_.push_back({frames[i], true, i + 1 == frames.size()});
    write();
  }

  void close(websocket::close_code code, std::string_view reason) {
    if (!open_) return;
    open_ = false;
    unsent_.clear();
    const std::string_view short_reason = reason.substr(0, 120);
    socket_.async_close({code, beast::string_view(short_reason.data(), short_reason.size())},
                        [self = shared_from_this()](error_code) { self->leave(); });
  }

  /// Without a word: of one that takes nothing.
  void drop() {
    open_ = false;
    unsent_.clear();
    beast::get_lowest_layer(socket_).close();
    leave();
  }

 private:
  struct Item {
    Bytes bytes;
    bool binary = false, last_of_frames = false;
  };

  void join() {
    if (state_.stopping) return;
    id_ = state_.next_id++;
    open_ = true;
    ++state_.clients_seen;
    state_.viewers.emplace(id_, shared_from_this());
    state_.events.joined(id_);
    read();
  }

  void leave() {
    open_ = false;
    if (state_.viewers.erase(id_) > 0) state_.events.left(id_);
    if (state_.stopping && state_.viewers.empty()) state_.timer.cancel();
  }

  /// Piece by piece: at a limit of Beast's own the connection ends with what was sent unread, which takes the
  /// reason with it before the other side has seen it. A close of ours reads on until that has answered.
  void read() {
    const std::size_t room = longest_message + 1 - buffer_.size();
    socket_.async_read_some(buffer_, room, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) {
        self->leave();
        return;
      }
      self->take_piece();
      self->read();  // also while closing: until the other side has answered
    });
  }

  void take_piece() {
    if (open_ && buffer_.size() > longest_message)
      close(websocket::close_code::too_big, fmt::format("a message of more than {} bytes", longest_message));
    if (open_ && !socket_.is_message_done()) return;
    if (open_) take_message();
    buffer_.consume(buffer_.size());
  }

  void take_message() {
    const Clock::time_point now = Clock::now();
    if (now - second_ > std::chrono::seconds(1)) second_ = now, messages_ = 0;
    if (++messages_ > state_.options.messages_per_second) {
      close(websocket::close_code::policy_error,
            fmt::format("more than {} messages a second", state_.options.messages_per_second));
    } else if (!socket_.got_text()) {
      close(websocket::close_code::policy_error, "a binary message; expected text");
    } else {
      const auto data = buffer_.data();
      try {
        state_.events.message(id_, {static_cast<const char*>(data.data()), data.size()});
      } catch (const std::exception& error) {
        close(websocket::close_code::policy_error, error.what());
      }
    }
  }

  void write() {
    if (writing_ || unsent_.empty() || !open_) return;
    writing_ = true;
    current_ = std::move(unsent_.front());
    unsent_.pop_front();
    socket_.binary(current_.binary);
    socket_.async_write(
        asio::buffer(*current_.bytes),
        [self = shared_from_this()](error_code error, std::size_t bytes) { self->wrote(error, bytes); });
  }

  void wrote(error_code error, std::size_t bytes) {
    writing_ = false;
    const Item item = std::exchange(current_, {});
    if (error || !open_) return;  // the reading side ends it
    state_.bytes_sent += static_cast<std::int64_t>(bytes);
    if (item.binary) ++state_.frames_sent;
    if (!item.binary) --unsent_texts_;
    if (item.last_of_frames) --unsent_frames_;
    if (missed_) send_frames(state_.latest);
    write();
  }

  NetworkState& state_;
  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer buffer_;
  std::deque<Item> unsent_;
  Item current_;
  std::size_t unsent_texts_ = 0;
  int unsent_frames_ = 0, id_ = 0, messages_ = 0;
  bool missed_ = false, writing_ = false, open_ = false;
  Clock::time_point second_{};
};

// === A browser: requests one after the other on a connection, which may become a viewer's

class Browser : public std::enable_shared_from_this<Browser> {
 public:
  Browser(NetworkState& state, tcp::socket&& socket) : state_(state), stream_(std::move(socket)) {
    state_.browsers.insert(this);
  }
  ~Browser() {
    state_.browsers.erase(this);
    if (uploads_) state_.uploading = false;
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(longest_header);
    parser_->body_limit(state_.options.largest_upload);
    expire_after(state_.options.request_timeout);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (error == http::error::body_limit)
                                return self->answer_text(413, "the file is too large", true);
                              if (!error) self->route();
                            });
  }

  void drop() { stream_.close(); }

 private:
  using Parser = http::request_parser<http::string_body>;

  void expire_after(double seconds) {
    stream_.expires_after(std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds)));
  }

  void route() {
    const auto& request = parser_->get();
    const std::string_view host = view_of(request[http::field::host]);
    if (!host_is_ours(host, state_.options))
      return answer_text(403, "this server does not answer to that name; see --allow-host", true);
    if (!origin_is_ours(view_of(request[http::field::origin]), host))
      return answer_text(403, "this server answers its own page only", true);
    const std::string_view target = view_of(request.target());
    const std::string_view path = target.substr(0, target.find('?'));
    if (path == "/ws") return upgrade();
    if (request.method() == http::verb::post && path == "/open") return receive(target);
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return answer_text(405, "expected GET", true);
    if (!parser_->is_done()) return answer_text(413, "expected no body", true);
    std::optional<HttpAnswer> found = state_.events.get(path);
    if (!found) return answer_text(404, "there is no such page", false);
    answer(std::move(*found), false);
  }

  void upgrade() {
    if (!websocket::is_upgrade(parser_->get())) return answer_text(426, "expected a WebSocket", true);
    if (static_cast<int>(state_.viewers.size()) >= state_.options.most_clients)
      return answer_text(503, "too many viewers", true);
    stream_.expires_never();
    const auto viewer = std::make_shared<Viewer>(state_, std::move(stream_));
    viewer->begin(parser_->get());
  }

  void receive(std::string_view target) {
    if (state_.uploading) return answer_text(409, "another file is being sent; try again", true);
    const auto length = parser_->content_length();
    if (!length) return answer_text(411, "expected a file with its length", true);
    const std::size_t question = target.find('?');
    name_ =
        question == std::string_view::npos ? std::string() : query_value(target.substr(question + 1), "name");
    state_.uploading = uploads_ = true;
    expire_after(20 * state_.options.request_timeout);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      self->state_.uploading = self->uploads_ = false;
      if (error == http::error::body_limit) return self->answer_text(413, "the file is too large", true);
      if (error) return;
      HttpAnswer found = self->state_.events.upload(self->name_, std::move(self->parser_->get().body()));
      self->answer(std::move(found), false);
    });
  }

  void answer_text(int status, const char* sentence, bool close) {
    const Json words = {{"error", sentence}};
    answer({.status = status, .type = "application/json", .body = text(words)}, close);
  }

  void answer(HttpAnswer&& found, bool close) {
    struct Reply {
      http::response<http::span_body<const char>> message;
      Bytes body;
    };
    auto reply = std::make_shared<Reply>();
    const auto& request = parser_->get();
    const bool head = request.method() == http::verb::head;
    reply->body = found.body ? std::move(found.body) : std::make_shared<const std::string>();
    auto& message = reply->message;
    message.result(static_cast<unsigned>(found.status));
    message.version(request.version());
    message.set(http::field::content_type, found.type);
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    message.set("Referrer-Policy", "no-referrer");
    if (found.attachment) message.set(http::field::content_disposition, "attachment");
    if (found.type.starts_with("text/html")) message.set("Content-Security-Policy", content_policy);
    message.keep_alive(!close && request.keep_alive());
    message.content_length(reply->body->size());
    if (!head) message.body() = beast::span<const char>(reply->body->data(), reply->body->size());
    expire_after(20 * state_.options.request_timeout);
    const bool ends = message.need_eof();
    http::async_write(stream_, message,
                      [self = shared_from_this(), reply, ends](error_code error, std::size_t bytes) {
                        if (error) return;
                        self->state_.bytes_sent += static_cast<std::int64_t>(bytes);
                        if (!ends) return self->read();
                        error_code ignored;
                        self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                      });
  }

  NetworkState& state_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::string name_;
  bool uploads_ = false;
};

}  // namespace pliant::server

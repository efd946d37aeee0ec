#include "server/loopback_client.h"

#include <gtest/gtest.h>

#include <utility>

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <chrono>
#include <cstring>
#include <deque>

namespace pliant::testing_support {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http_ns = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

tcp::endpoint loopback(int port) {
  return {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)};
}

std::string with_port(const std::string& host, int port) { return host + ":" + std::to_string(port); }

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

ReceivedFrame to_frame(const std::string& bytes) {
  ReceivedFrame frame;
  if (bytes.size() < 24) {
    ADD_FAILURE() << "a frame of " << bytes.size() << " bytes";
    return frame;
  }
  frame.kind = number_at<std::uint32_t>(bytes, 0);
  frame.version = number_at<std::uint32_t>(bytes, 4);
  frame.body = number_at<std::uint16_t>(bytes, 8);
  frame.flags = number_at<std::uint16_t>(bytes, 10);
  frame.count = number_at<std::uint32_t>(bytes, 12);
  frame.time = number_at<double>(bytes, 16);
  const std::size_t floats = frame.kind == 1 ? frame.count : 6;
  const std::size_t shorts = frame.kind == 1 ? 0 : frame.count;
  EXPECT_EQ(bytes.size(), 24 + 4 * floats + 2 * shorts);
  if (bytes.size() != 24 + 4 * floats + 2 * shorts) return frame;
  for (std::size_t i = 0; i < floats; ++i) frame.numbers.push_back(number_at<float>(bytes, 24 + 4 * i));
  for (std::size_t i = 0; i < shorts; ++i)
    frame.points.push_back(number_at<std::uint16_t>(bytes, 24 + 4 * floats + 2 * i));
  return frame;
}

/// What the server answers to a handshake: Beast only says that it was declined.
int upgrade_status(int port, const std::string& host, const ClientOptions& options) {
  std::string request = "GET " + options.path + " HTTP/1.1\r\nHost: " + host +
                        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  if (!options.origin.empty()) request += "Origin: " + options.origin + "\r\n";
  const std::string answer = raw(port, request + "\r\n");
  return answer.size() > 12 ? std::atoi(answer.c_str() + 9) : 0;
}

}  // namespace

struct LoopbackClient::Parts {
  asio::io_context context{1};
  websocket::stream<tcp::socket> socket{context};
  beast::flat_buffer buffer;
  std::deque<Json> messages;
  std::deque<ReceivedFrame> frames;
  ReceivedFrame last;
  std::deque<std::pair<std::string, bool>> unsent;
  std::size_t received = 0;
  bool connected = false, closed = false, writing = false, reading = false;
  int status = 0;

  void read() {
    if (reading || closed) return;
    reading = true;
    socket.async_read(buffer, [this](error_code error, std::size_t) {
      reading = false;
      if (error) {
        closed = true;
        return;
      }
      const std::string bytes = beast::buffers_to_string(buffer.data());
      buffer.consume(buffer.size());
      if (socket.got_text()) {
        messages.push_back(Json::parse(bytes));
      } else {
        ++received;
        frames.push_back(to_frame(bytes));
        if (frames.size() > 2000) frames.pop_front();
      }
      read();
    });
  }

  void write() {
    if (writing || unsent.empty() || closed) return;
    writing = true;
    socket.binary(unsent.front().second);
    socket.async_write(asio::buffer(unsent.front().first), [this](error_code error, std::size_t) {
      writing = false;
      if (error) {
        unsent.clear();
        return;
      }
      unsent.pop_front();
      write();
    });
  }

  /// Runs what there is to run until `done`, or the deadline.
  bool run_until(const std::function<bool()>& done, double seconds = deadline) {
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    read();
    while (!done()) {
      if (Clock::now() >= end) return false;
      context.restart();
      context.run_one_for(std::chrono::milliseconds(20));
      if (closed && !reading) return done();
    }
    return true;
  }
};

LoopbackClient::LoopbackClient(int port, const ClientOptions& options) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  tcp::socket& socket = beast::get_lowest_layer(p.socket);
  socket.open(tcp::v4());
  if (options.slow) socket.set_option(asio::socket_base::receive_buffer_size(4096));
  socket.connect(loopback(port));
  p.socket.set_option(websocket::stream_base::decorator([&](websocket::request_type& request) {
    if (!options.origin.empty()) request.set(http_ns::field::origin, options.origin);
  }));
  p.socket.read_message_max(256 << 20);
  const std::string host =
      options.host.find(':') != std::string::npos ? options.host : with_port(options.host, port);
  error_code error;
  p.socket.handshake(host, options.path, error);
  p.connected = !error;
  p.closed = static_cast<bool>(error);
  p.status = p.connected ? 101 : upgrade_status(port, host, options);
}

LoopbackClient::~LoopbackClient() {
  if (!parts_) return;
  error_code ignored;
  beast::get_lowest_layer(parts_->socket).set_option(asio::socket_base::linger(true, 0), ignored);
  beast::get_lowest_layer(parts_->socket).close(ignored);
}

LoopbackClient::LoopbackClient(LoopbackClient&&) noexcept = default;

bool LoopbackClient::connected() const { return parts_->connected; }
int LoopbackClient::handshake_status() const { return parts_->status; }
std::size_t LoopbackClient::frames_received() const { return parts_->received; }

void LoopbackClient::send(const Json& message) { send_text(message.dump()); }

void LoopbackClient::send_text(const std::string& text) {
  parts_->unsent.emplace_back(text, false);
  parts_->write();
  parts_->context.restart();
  parts_->context.poll();
}

void LoopbackClient::send_binary(const std::string& bytes) {
  parts_->unsent.emplace_back(bytes, true);
  parts_->write();
  parts_->context.restart();
  parts_->context.poll();
}

Json LoopbackClient::wait_for(const std::string& type, const std::function<bool(const Json&)>& holds) {
  Json found;
  const bool came = parts_->run_until([&] {
    for (auto at = parts_->messages.begin(); at != parts_->messages.end();) {
      if ((*at)["type"] != type) {
        ++at;
        continue;
      }
      Json message = std::move(*at);
      at = parts_->messages.erase(at);
      if (!holds || holds(message)) {
        found = std::move(message);
        return true;
      }
    }
    return false;
  });
  if (!came) {
    std::string seen;
    for (const Json& message : parts_->messages) seen += " " + message["type"].get<std::string>();
    ADD_FAILURE() << "no message " << type << " came that was waited for"
                  << (parts_->closed ? " (closed)" : "") << "; others:" << seen.substr(0, 400);
  }
  return found;
}

ReceivedFrame LoopbackClient::wait_for_frame(const std::function<bool(const ReceivedFrame&)>& holds) {
  ReceivedFrame found;
  const bool came = parts_->run_until([&] {
    while (!parts_->frames.empty()) {
      ReceivedFrame frame = std::move(parts_->frames.front());
      parts_->frames.pop_front();
      if (!holds || holds(frame)) {
        found = std::move(frame);
        return true;
      }
    }
    return false;
  });
  parts_->last = found;
  if (!came) ADD_FAILURE() << "no frame came that was waited for" << (parts_->closed ? " (closed)" : "");
  return found;
}

const ReceivedFrame& LoopbackClient::last_frame() const { return parts_->last; }

void LoopbackClient::read_for(double seconds) {
  parts_->run_until([] { return false; }, seconds);
}

int LoopbackClient::wait_for_close() {
  if (!parts_->run_until([&] { return parts_->closed; })) ADD_FAILURE() << "the server did not close";
  return parts_->socket.reason().code;
}

std::string LoopbackClient::close_reason() const {
  return {parts_->socket.reason().reason.data(), parts_->socket.reason().reason.size()};
}

void LoopbackClient::close() {
  bool done = false;
  parts_->socket.async_close(websocket::close_code::normal, [&](error_code) { done = true; });
  parts_->run_until([&] { return done; });
}

HttpReply http(int port, const std::string& target, const HttpOptions& options) {
  asio::io_context context;
  beast::tcp_stream stream(context);
  stream.connect(loopback(port));
  http_ns::request<http_ns::string_body> request;
  request.method_string(options.method);
  request.target(target);
  const bool has_port = options.host.find(':') != std::string::npos;
  if (!options.host.empty())
    request.set(http_ns::field::host, has_port ? options.host : with_port(options.host, port));
  if (!options.origin.empty()) request.set(http_ns::field::origin, options.origin);
  request.keep_alive(false);
  request.body() = options.body;
  request.prepare_payload();
  error_code error;
  http_ns::write(stream, request, error);  // the answer may come before the end of it
  beast::flat_buffer buffer;
  http_ns::response_parser<http_ns::string_body> parser;
  parser.body_limit(std::uint64_t{1} << 30);
  if (options.method == "HEAD") parser.skip(true);
  http_ns::read(stream, buffer, parser, error);
  if (error && !parser.is_done()) return {};
  const auto& response = parser.get();
  return {static_cast<int>(response.result_int()), response.body(),
          std::string(response[http_ns::field::content_type])};
}

std::string raw(int port, const std::string& bytes) {
  asio::io_context context;
  tcp::socket socket(context);
  socket.connect(loopback(port));
  error_code error;
  asio::write(socket, asio::buffer(bytes), error);
  socket.shutdown(tcp::socket::shutdown_send, error);
  std::string answer;
  char buffer[4096];
  for (;;) {
    const std::size_t count = socket.read_some(asio::buffer(buffer), error);
    answer.append(buffer, count);
    if (error) return answer;
  }
}

}  // namespace pliant::testing_support

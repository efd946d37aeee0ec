#include "viewer_crowd.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace pliant::app {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Order {
  int port = 0, viewers = 0;
  double seconds = 0;
};

/// The least of a WebSocket that reads.
class Looker {
 public:
  explicit Looker(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
    const std::string hello = fmt::format(
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        port);
    open_ = write(socket_, hello.data(), hello.size()) == static_cast<ssize_t>(hello.size());
  }
  ~Looker() { close(socket_); }
  Looker(const Looker&) = delete;
  Looker& operator=(const Looker&) = delete;

  int socket_number() const { return socket_; }
  bool open() const { return open_; }
  void receive() {
    char buffer[1 << 16];
    const ssize_t count = read(socket_, buffer, sizeof buffer);
    if (count <= 0) {
      open_ = false;
      return;
    }
    bytes_.append(buffer, static_cast<std::size_t>(count));
    std::size_t at = 0;
    if (!greeted_) {
      const std::size_t end = bytes_.find("\r\n\r\n");
      if (end == std::string::npos) return;
      if (bytes_.compare(9, 3, "101") != 0) open_ = false;
      greeted_ = true;
      at = end + 4;
    }
    while (take_message(at)) {
    }
    bytes_.erase(0, at);
  }

  std::int64_t frames = 0, frame_bytes = 0;

 private:
  bool take_message(std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes_[at + i]); };
    if (bytes_.size() < at + 2) return false;
    std::size_t length = byte(1) & 127, header = 2;
    if (length >= 126) {
      const std::size_t wide = length == 126 ? 2 : 8;
      header += wide;
      if (bytes_.size() < at + header) return false;
      length = 0;
      for (std::size_t i = 0; i < wide; ++i) length = 256 * length + byte(2 + i);
    }
    if (bytes_.size() < at + header + length) return false;
    if ((byte(0) & 15) == 2) ++frames, frame_bytes += static_cast<std::int64_t>(length);
    if ((byte(0) & 15) == 9) {  // a ping wants its pong, masked (by zeros)
      const char pong[6] = {static_cast<char>(0x8a), static_cast<char>(0x80), 0, 0, 0, 0};
      if (write(socket_, pong, sizeof pong) < 0) open_ = false;
    }
    at += header + length;
    return true;
  }

  int socket_;
  std::string bytes_;
  bool open_ = false, greeted_ = false;
};

ViewerCrowd::Seen look_at(const Order& order) {
  ViewerCrowd::Seen seen;
  std::vector<std::unique_ptr<Looker>> lookers;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < order.viewers; ++i) lookers.push_back(std::make_unique<Looker>(order.port));
  std::vector<pollfd> polled(lookers.size());
  const auto turn = [&] {
    for (std::size_t i = 0; i < lookers.size(); ++i)
      polled[i] = {lookers[i]->open() ? lookers[i]->socket_number() : -1, POLLIN, 0};
    poll(polled.data(), polled.size(), 20);
    for (std::size_t i = 0; i < lookers.size(); ++i)
      if (polled[i].revents) lookers[i]->receive();
  };
  const auto with_frames = [&] {
    return std::count_if(lookers.begin(), lookers.end(), [](const auto& one) { return one->frames > 0; });
  };
  while (with_frames() < order.viewers && seconds_since(begin) < 60) {
    turn();
    if (seen.first_frame_seconds == 0 && with_frames() > 0) seen.first_frame_seconds = seconds_since(begin);
  }
  seen.viewers = static_cast<int>(with_frames());
  for (const auto& one : lookers) one->frames = one->frame_bytes = 0;
  const Clock::time_point start = Clock::now();
  while (seconds_since(start) < order.seconds) turn();
  const double seconds = seconds_since(start);
  double frames = 0, bytes = 0, fewest = 1e300;
  for (const auto& one : lookers) {
    frames += static_cast<double>(one->frames);
    bytes += static_cast<double>(one->frame_bytes);
    fewest = std::min(fewest, static_cast<double>(one->frames));
  }
  seen.frames_per_second = frames / order.viewers / seconds;
  seen.fewest_frames_per_second = fewest / seconds;
  seen.bytes_per_frame = frames > 0 ? bytes / frames : 0;
  return seen;
}

/// All or nothing; false once the other side is gone.
bool transfer(ssize_t (*move)(int, void*, std::size_t), int file, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t count = move(file, at, size);
    if (count <= 0) return false;
    at += count, size -= static_cast<std::size_t>(count);
  }
  return true;
}
ssize_t write_some(int file, void* data, std::size_t size) { return write(file, data, size); }
ssize_t read_some(int file, void* data, std::size_t size) { return read(file, data, size); }

}  // namespace

ViewerCrowd::ViewerCrowd() {
  int orders[2], answers[2];
  if (pipe(orders) != 0 || pipe(answers) != 0) throw Error("cannot make a pipe to the viewers");
  child_ = fork();
  if (child_ < 0) throw Error("cannot make a process for the viewers");
  if (child_ == 0) {
    close(orders[1]), close(answers[0]);
    Order order;
    while (transfer(read_some, orders[0], &order, sizeof order)) {
      Seen seen = look_at(order);
      if (!transfer(write_some, answers[1], &seen, sizeof seen)) break;
    }
    _exit(0);
  }
  close(orders[0]), close(answers[1]);
  to_ = orders[1], from_ = answers[0];
}

ViewerCrowd::~ViewerCrowd() {
  close(to_), close(from_);
  waitpid(child_, nullptr, 0);
}

ViewerCrowd::Seen ViewerCrowd::look(int port, int viewers, double seconds) {
  Order order{port, viewers, seconds};
  Seen seen;
  if (!transfer(write_some, to_, &order, sizeof order) || !transfer(read_some, from_, &seen, sizeof seen))
    throw Error("the viewers' process is gone");
  return seen;
}

}  // namespace pliant::app

#include "pliant/server/network.h"

#include "pliant/server/network_connections-inl.h"

namespace pliant::server {

// === The thread

void NetworkState::listen() {
  error_code error;
  const auto address =
      asio::ip::make_address(options.address == "localhost" ? "127.0.0.1" : options.address, error);
  if (error)
    throw InputError(
        fmt::format("server: {} is not an address; expected one like 127.0.0.1", options.address));
  for (int i = 0; i < std::max(1, options.tries); ++i) {
    const int wanted = options.port == 0 ? 0 : options.port + i;
    if (wanted > 65535) break;
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(wanted));
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) {
      port = acceptor.local_endpoint().port();
      return;
    }
    error_code ignored;
    acceptor.close(ignored);
    if (error != asio::error::address_in_use) break;
  }
  throw InputError(fmt::format("server: cannot listen at {}:{}: {}; expected a free port", options.address,
                               options.port, error.message()));
}

void NetworkState::accept() {
  acceptor.async_accept(context, [this](error_code error, tcp::socket socket) {
    if (stopping || error == asio::error::operation_aborted) return;
    if (error) {  // no sockets left: after a while there may be
      timer.expires_after(std::chrono::milliseconds(100));
      timer.async_wait([this](error_code cancelled) {
        if (!cancelled && !stopping) accept();
      });
      return;
    }
    if (browsers.size() < most_browsers) {
      socket.set_option(tcp::no_delay(true), error);
      std::make_shared<Browser>(*this, std::move(socket))->read();
    }
    accept();
  });
}

std::vector<std::shared_ptr<Viewer>> NetworkState::everybody() const {
  std::vector<std::shared_ptr<Viewer>> all;
  for (const auto& [id, viewer] : viewers) all.push_back(viewer);
  return all;
}

void NetworkState::show_frames(std::vector<Bytes> frames) {
  latest = std::move(frames);
  for (const auto& viewer : everybody()) viewer->send_frames(latest);
}

void NetworkState::end() {
  stopping = true;
  error_code ignored;
  acceptor.close(ignored);
  for (Browser* browser : browsers) browser->drop();
  // A polite word to each, and half a second to hear it.
  timer.expires_after(std::chrono::milliseconds(500));
  timer.async_wait([this](error_code) {
    for (const auto& viewer : everybody()) viewer->drop();
    context.stop();
  });
  for (const auto& viewer : everybody()) viewer->close(websocket::close_code::going_away, "the server ends");
  if (viewers.empty()) timer.cancel();
}

// === The door

Network::Network(const NetworkOptions& options, NetworkEvents events)
    : state_(std::make_unique<NetworkState>(options, std::move(events))) {
  state_->listen();
}

Network::~Network() {
  stop();
  state_->viewers.clear();
}

int Network::port() const { return state_->port; }

void Network::start() {
  NetworkState& state = *state_;
  if (state.thread.joinable()) return;
  asio::post(state.context, [&state] { state.accept(); });
  state.thread = std::thread([&state] {
    const auto work = asio::make_work_guard(state.context);
    for (;;) try {
        state.context.run();
        return;
      } catch (const std::exception&) {
        // Of one connection, which is gone with it: the others go on.
      }
  });
}

void Network::stop() {
  NetworkState& state = *state_;
  if (!state.thread.joinable()) return;
  asio::post(state.context, [&state] { state.end(); });
  state.thread.join();
}

void Network::send(int client, Bytes message) {
  asio::post(state_->context, [state = state_.get(), client, message = std::move(message)]() mutable {
    const auto found = state->viewers.find(client);
    if (found == state->viewers.end()) return;
    const std::shared_ptr<Viewer> viewer = found->second;
    viewer->send(std::move(message));
  });
}

void Network::send_to_all(Bytes message) {
  asio::post(state_->context, [state = state_.get(), message = std::move(message)] {
    for (const auto& viewer : state->everybody()) viewer->send(message);
  });
}

void Network::send_frames(std::vector<Bytes> frames, bool in_order) {
  NetworkState* state = state_.get();
  {
    const std::lock_guard lock(state->mailbox_mutex);
    if (in_order) {
      state->mailbox.clear();
    } else {
      state->mailbox = std::move(frames);
      if (std::exchange(state->mailbox_announced, true)) return;
    }
  }
  if (in_order) {
    asio::post(state->context,
               [state, frames = std::move(frames)]() mutable { state->show_frames(std::move(frames)); });
    return;
  }
  asio::post(state->context, [state] {
    std::vector<Bytes> last;
    {
      const std::lock_guard lock(state->mailbox_mutex);
      last.swap(state->mailbox);
      state->mailbox_announced = false;
    }
    if (!last.empty()) state->show_frames(std::move(last));
  });
}

void Network::send_frames_to(int client, std::vector<Bytes> frames) {
  asio::post(state_->context, [state = state_.get(), client, frames = std::move(frames)] {
    const auto found = state->viewers.find(client);
    if (found == state->viewers.end()) return;
    const std::shared_ptr<Viewer> viewer = found->second;
    viewer->send_frames(frames);
  });
}

NetworkCounts Network::counts() const {
  return {state_->frames_sent, state_->frames_missed, state_->bytes_sent, state_->clients_seen};
}

double Network::cpu_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (!state_->thread.joinable() || pthread_getcpuclockid(state_->thread.native_handle(), &clock) != 0 ||
      clock_gettime(clock, &time) != 0)
    return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace pliant::server

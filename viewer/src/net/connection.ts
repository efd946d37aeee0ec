// The WebSocket, and its return when the server has gone for a while.
import type { ClientMessage, ServerMessage } from './protocol';

export interface ConnectionEvents {
  opened(): void;
  closed(reason: string): void;
  message(message: ServerMessage): void;
  binary(bytes: ArrayBuffer): void;
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 4000;

export class Connection {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;

  constructor(
    private readonly address: string,
    private readonly events: ConnectionEvents,
  ) {
    this.open();
  }

  get connected(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /// Messages while there is no server are dropped: what they asked for is shown in the panel and can be asked again.
  send(message: ClientMessage): void {
    if (this.connected) this.socket!.send(JSON.stringify(message));
  }

  private open(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.events.opened();
    };
    socket.onmessage = (event) => {
      if (event.data instanceof ArrayBuffer) this.events.binary(event.data);
      else this.events.message(JSON.parse(event.data as string) as ServerMessage);
    };
    socket.onclose = (event) => {
      this.events.closed(event.reason);
      window.setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
    };
  }
}

/// ws://host/ws for the page's own address.
export function server_address(page: Location): string {
  return `${page.protocol === 'https:' ? 'wss' : 'ws'}://${page.host}/ws`;
}

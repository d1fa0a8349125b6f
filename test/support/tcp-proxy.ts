import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A network between a client and a server on 127.0.0.1, which can fail. */
export interface TcpProxy {
  port: number;
  /** Nothing comes through any more, and nobody is told: new connections are taken and never answered. */
  blackHole(): void;
  /** New connections come through again; those that were open in the black hole stay in it. */
  recover(): void;
  /** New connections come to this port. */
  leadTo(port: number): void;
  /** All connections are reset. */
  cut(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(firstPort: number): Promise<TcpProxy> {
  let targetPort = firstPort;
  const sockets = new Set<Socket>();
  let isBlackHole = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (isBlackHole) return;
    const target = connect(targetPort, '127.0.0.1');
    keep(target);
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      from.pipe(to);
      from.on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    blackHole() {
      isBlackHole = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    recover() {
      isBlackHole = false;
    },
    leadTo(port) {
      targetPort = port;
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

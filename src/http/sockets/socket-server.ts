/** The WebSocket endpoint of the API. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { runSession, type Session } from './socket-session.ts';

/** Of one message. */
const MAX_MESSAGE_BYTES = 262_144;
/** How long a client has to answer that the socket closes. */
const CLOSE_MS = 2_000;

export interface SocketServer {
  /** Serves a request that may open a socket: its sender is known. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, session: Omit<Session, 'taken'>): void;
  /** Closes all sockets; `signal` of their sessions was aborted. */
  stop(): Promise<void>;
}

/** The subprotocol of our messages. */
export const SUBPROTOCOL = 'animus.v1';

export function createSocketServer(): SocketServer {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: MAX_MESSAGE_BYTES,
    // The token is never sent back.
    handleProtocols: (protocols) => (protocols.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const sessions = new Set<Promise<void>>();
  return {
    accept(request, socket, head, session) {
      server.handleUpgrade(request, socket, head, (opened) => {
        const connection: Pick<Socket, 'bytesWritten' | 'writableLength'> = request.socket;
        const taken = () => connection.bytesWritten - connection.writableLength;
        const running = runSession(opened, { ...session, taken });
        sessions.add(running);
        void running.finally(() => sessions.delete(running));
      });
    },
    async stop() {
      const late = setTimeout(() => {
        for (const one of server.clients) one.terminate();
      }, CLOSE_MS);
      await Promise.all(sessions);
      clearTimeout(late);
      server.close();
    },
  };
}

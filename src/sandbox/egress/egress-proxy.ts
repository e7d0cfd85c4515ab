/** The HTTP proxy of containers with an allow-list: it decides about every connection and every request, and makes the connections itself. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { canonicalHost } from '../../core/text/canonical-host.ts';
import { allowsEgress, type EgressHost } from '../../core/text/egress-host.ts';

/** What a proxy lets through. */
export interface EgressRules {
  readonly hosts: readonly EgressHost[];
  /**
   * Why this host on this port may not be reached although the list names it, for what is an address; null if it may. Names are judged by the
   * addresses that they resolve to (`lookup`).
   */
  readonly forbidden: (host: string, port: number) => string | null;
  /** Resolves a name for one connection, and fails if an address may not be reached. The address that was checked is connected to. */
  readonly lookup: (host: string, port: number) => LookupFunction;
  /** A connection was refused: for the log. */
  readonly onRefused?: (host: string, port: number, reason: string) => void;
}

export interface EgressProxy {
  /** Serves a connection of the container. */
  serve(connection: Duplex): void;
  /** Ends all connections. Idempotent. */
  close(): void;
}

/** Where a request wants to go. */
interface Target {
  readonly host: string;
  readonly port: number;
}

const CONNECT_MS = 10_000;
/** A tunnel that carries nothing for so long is closed. */
const IDLE_MS = 10 * 60_000;
/** Of one request's headers, as Node's default. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Headers between a client and its proxy, or for one connection only. */
const NOT_PASSED_ON = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
]);

/** Supports CONNECT, and plain requests for http:// URLs. Follows no redirects: the client asks again, and is judged again. */
export function createEgressProxy(rules: EgressRules): EgressProxy {
  const sockets = new Set<Duplex>();
  const keep = <Kept extends Duplex>(socket: Kept): Kept => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // The client sees the end of its connection.
    socket.on('error', () => {});
    return socket;
  };
  const judge = (target: Target | null, written: string): string | null => {
    if (target === null) return `${JSON.stringify(written.slice(0, 200))} is not a host and a port`;
    const { host, port } = target;
    const reason = allowsEgress(rules.hosts, host, port)
      ? rules.forbidden(host, port)
      : `${host}:${port} is not in the list of hosts that this container may reach`;
    if (reason !== null) rules.onRefused?.(host, port, reason);
    return reason;
  };
  const reach = ({ host, port }: Target): Socket =>
    keep(connect({ host, port, lookup: rules.lookup(host, port), autoSelectFamily: true, timeout: CONNECT_MS }));

  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 }, (incoming, response) => {
    const url = URL.parse(incoming.url ?? '');
    if (url?.protocol !== 'http:')
      return answer(response, 400, 'this is a proxy: it takes CONNECT, and requests for http:// URLs');
    const target = targetOf(url.hostname, url.port === '' ? 80 : Number(url.port));
    const reason = judge(target, url.host);
    if (target === null || reason !== null) return answer(response, 403, `${reason}`);
    passOn(incoming, response, url, () => reach(target));
  });
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const written = incoming.url ?? '';
    const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(written) ?? [];
    const target = targetOf(host, Number(port));
    const reason = judge(target, written);
    if (target === null || reason !== null) return refuse(client, '403 Forbidden', `${reason}`);
    tunnel(client, head, reach(target));
  });
  server.on('clientError', (_error, socket) => void socket.destroy());

  return {
    serve(connection) {
      keep(connection);
      server.emit('connection', connection);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function targetOf(written: string, port: number): Target | null {
  const host = canonicalHost(written);
  return host !== null && port >= 1 && port <= 65_535 ? { host, port } : null;
}

function tunnel(client: Duplex, head: Buffer, server: Socket): void {
  server.once('error', (error) => refuse(client, '502 Bad Gateway', reasonOf(error)));
  server.once('timeout', () => server.destroy(new Error(`no connection within ${CONNECT_MS / 1000} s`)));
  server.once('connect', () => {
    server.removeAllListeners('error').removeAllListeners('timeout');
    server.on('error', () => {});
    server.setTimeout(IDLE_MS, () => server.destroy());
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) server.write(head);
    // Each direction ends by itself; an error in one ends both.
    pipeline(client, server, (error) => error && server.destroy());
    pipeline(server, client, (error) => error && client.destroy());
  });
  client.once('close', () => server.destroy());
}

function passOn(incoming: IncomingMessage, response: ServerResponse, url: URL, reach: () => Socket): void {
  const named = new Set((incoming.headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  const headers = Object.entries(incoming.headers).filter(([name]) => !NOT_PASSED_ON.has(name) && !named.has(name));
  const outgoing = request({
    method: incoming.method,
    path: `${url.pathname}${url.search}`,
    // The host that was judged, whatever the client calls it.
    headers: { ...Object.fromEntries(headers), host: url.host, connection: 'close' },
    createConnection: reach,
    timeout: IDLE_MS,
  });
  outgoing.once('error', (error) => {
    if (response.headersSent) response.destroy();
    else answer(response, 502, reasonOf(error));
  });
  outgoing.once('timeout', () => outgoing.destroy(new Error('the server does not answer')));
  outgoing.once('response', (incomingResponse) => {
    const passed = Object.entries(incomingResponse.headers).filter(([name]) => !NOT_PASSED_ON.has(name));
    response.writeHead(incomingResponse.statusCode ?? 502, Object.fromEntries(passed));
    pipeline(incomingResponse, response, () => {});
  });
  pipeline(incoming, outgoing, () => {});
  response.once('close', () => outgoing.destroy());
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`animus: ${text}\n`);
}

function refuse(client: Duplex, status: string, text: string): void {
  const body = `animus: ${text}\n`;
  client.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Several addresses were tried: the first refusal says why. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  return first?.message ?? error.message;
}

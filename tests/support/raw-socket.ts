/** A bare connection to a server, for requests that no HTTP client would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Connects to the host and port of a URL; the connection ends with the test. */
export async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** What came until the server closed the connection. */
export async function closed(socket: Socket): Promise<string> {
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  // A reset is an end, too.
  socket.on('error', () => {});
  if (!socket.closed) await new Promise<void>((done) => socket.once('close', () => done()));
  return answer;
}

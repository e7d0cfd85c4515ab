/**
 * What one thread of Node can do at best: writes one ready buffer to every connection, without HTTP, database or anything that could be
 * slow. Prints its URL; on a line `sent N` it writes an event of the usual size with that content; to an empty line it prints its memory and processor time.
 */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { usage } from '../../support/usage.ts';

const sockets: Socket[] = [];
const server = createServer((socket) => {
  socket.once('data', () => {
    sockets.push(socket);
    socket.write('HTTP/1.1 200 OK\r\n\r\ndata: {"live":true}\n\n');
  });
  socket.on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as { port: number }).port}\n`);
});
const FILL = 'x'.repeat(300);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === '') {
      process.stdout.write(`${JSON.stringify(usage())}\n`);
      return;
    }
    const begunMs = performance.timeOrigin + performance.now();
    const bytes = Buffer.from(`id: ${FILL}\ndata: {"content":"${line}"}\n\n`);
    for (const socket of sockets) socket.write(bytes);
    process.stdout.write(`${JSON.stringify({ begunMs })}\n`);
  })
  // Whoever started it has ended.
  .on('close', () => process.exit(0));

/**
 * A process with many readers of event streams, which does as little as it can, because it shares the machine with the server. BENCH_URLS: the URL
 * of each, as JSON. Prints `ready`, and to each line on its input how long ledger entries took, in ms.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const urls = JSON.parse(process.env['BENCH_URLS']!) as string[];
let latencies: number[] = [];
/** An entry contains when its statement was sent. */
const SENT = Buffer.from('"content":"sent ');
const LIVE = Buffer.from('"live":true');
/** One for all: what it holds is used before the next is read. */
const piece = Buffer.allocUnsafe(65_536);

async function read(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const begun = Promise.withResolvers<void>();
  let joined = false;
  const socket = connect({
    host: hostname,
    port: Number(port),
    onread: {
      buffer: piece,
      callback(length) {
        const nowMs = performance.timeOrigin + performance.now();
        const bytes = piece.subarray(0, length);
        if (!joined && bytes.includes(LIVE)) {
          joined = true;
          begun.resolve();
        }
        for (let at = bytes.indexOf(SENT); at >= 0; at = bytes.indexOf(SENT, at + 1)) {
          const from = at + SENT.length;
          latencies.push(nowMs - Number(bytes.toString('latin1', from, bytes.indexOf('"', from))));
        }
        return true;
      },
    },
  });
  socket.on('error', begun.reject);
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
  await begun.promise;
}

for (let n = 0; n < urls.length; n += 50) await Promise.all(urls.slice(n, n + 50).map(read));
process.stdout.write('ready\n');
createInterface({ input: process.stdin })
  .on('line', () => {
    process.stdout.write(`${JSON.stringify(latencies)}\n`);
    latencies = [];
  })
  .on('close', () => process.exit(0));

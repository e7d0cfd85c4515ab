/**
 * A process with many readers of event streams, which does as little as it can, because it shares the machine with the server. BENCH_URLS: the URL
 * of each, as JSON; BENCH_TOKEN: sent with each request. Prints `ready`, and to each line on its input what it has received since the last one, as JSON: by
 * the content of each ledger entry, when each reader got it (ms since 1970).
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const urls = JSON.parse(process.env['BENCH_URLS']!) as string[];
const token = process.env['BENCH_TOKEN'] ?? '';
/** What the entries of the benchmark begin with. */
const SENT = '"content":"sent ';
const LIVE = Buffer.from('"live":true');
/** One for all: what it holds is kept before the next is read. */
const piece = Buffer.allocUnsafe(65_536);
/** What has come, one after the other; it is only looked at when it is asked for. */
const log = Buffer.allocUnsafe(512 * 1024 * 1024);
let logged = 0;
/** Where each piece ends in it, and when it came. */
let ends: number[] = [];
let times: number[] = [];

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
        times.push(performance.now());
        logged += piece.copy(log, logged, 0, length);
        ends.push(logged);
        if (!joined && piece.subarray(0, length).includes(LIVE)) {
          joined = true;
          begun.resolve();
        }
        return true;
      },
    },
  });
  socket.on('error', begun.reject);
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`);
  await begun.promise;
}

/** By content: when each reader got it. */
function arrivals(): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const [n, end] of ends.entries()) {
    const text = log.toString('latin1', ends[n - 1] ?? 0, end);
    for (let at = text.indexOf(SENT); at >= 0; at = text.indexOf(SENT, at + 1)) {
      const from = at + SENT.length;
      (found[text.slice(from, text.indexOf('"', from))] ??= []).push(performance.timeOrigin + times[n]!);
    }
  }
  return found;
}

for (let n = 0; n < urls.length; n += 50) await Promise.all(urls.slice(n, n + 50).map(read));
process.stdout.write('ready\n');
createInterface({ input: process.stdin })
  .on('line', () => {
    process.stdout.write(`${JSON.stringify(arrivals())}\n`);
    [logged, ends, times] = [0, [], []];
  })
  .on('close', () => process.exit(0));

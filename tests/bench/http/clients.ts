/** A process with many readers of event streams. Arguments: the URL of each. Prints `ready`, and to each line on its input how long ledger entries took. */
import { get } from 'node:http';
import { createInterface } from 'node:readline';

const urls = JSON.parse(process.env['BENCH_URLS']!) as string[];
let latencies: number[] = [];

async function read(url: string): Promise<void> {
  const begun = Promise.withResolvers<void>();
  get(url, { agent: false }, (response) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('"live":true')) begun.resolve();
      // An entry contains when its statement was sent.
      for (const [, at] of text.matchAll(/"content":"sent (\d+\.?\d*)"/g)) {
        latencies.push(performance.timeOrigin + performance.now() - Number(at));
      }
    });
  }).on('error', begun.reject);
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

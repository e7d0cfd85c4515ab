// Preloaded into a daemon (NODE_OPTIONS=--import): SIGUSR2 blocks its event loop, for BLOCK_MS or for ever.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('SIGUSR2', function blockLoop() {
    const forMs = Number(process.env['BLOCK_MS'] ?? 'Infinity');
    const from = performance.now();
    while (performance.now() - from < forMs);
  });
}

// Preloaded into a daemon (NODE_OPTIONS=--import): SIGUSR2 makes its event loop stand still, for STAND_STILL_MS or for ever.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('SIGUSR2', function standStill() {
    const forMs = Number(process.env['STAND_STILL_MS'] ?? 'Infinity');
    const from = performance.now();
    while (performance.now() - from < forMs);
  });
}

/** The peers, used as their own documentation recommends, with their defaults. */
import { Logger, run, runMigrations } from 'graphile-worker';
import { Pool } from 'pg';
import PgBoss from 'pg-boss';
import type { BenchQueue } from './queue.ts';

/** graphile-worker with its local queue: jobs are fetched ahead, 500 at a time, and completed in batches. */
export function graphileLocalQueue(url: string): Promise<BenchQueue> {
  return graphileQueue(url, { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } });
}

export async function graphileQueue(url: string, preset: GraphileConfig.Preset = {}): Promise<BenchQueue> {
  const logger = new Logger(() => () => {});
  await runMigrations({ connectionString: url, logger });
  const producers = new Pool({ connectionString: url, max: 10 });
  return {
    url,
    async enqueue(n) {
      await producers.query(`select graphile_worker.add_job('noop', json_build_object('n', $1::int))`, [n]);
    },
    async enqueueMany(count) {
      await producers.query(
        `select count(*) from graphile_worker.add_jobs((select array_agg(json_populate_record(null::graphile_worker.job_spec,
           json_build_object('identifier', 'noop', 'payload', json_build_object('n', n)))) from generate_series(1, $1::int) n))`,
        [count],
      );
    },
    async work(concurrency, onStart) {
      let done = 0;
      const runner = await run({
        preset,
        connectionString: url,
        concurrency,
        logger,
        noHandleSignals: true,
        maxPoolSize: concurrency + 2,
        taskList: {
          noop: async (payload) => {
            onStart((payload as { n: number }).n);
          },
        },
      });
      runner.events.on('job:complete', () => done++);
      return { done: () => done, stop: () => runner.stop() };
    },
    close: () => producers.end(),
  };
}

export async function pgBossQueue(url: string): Promise<BenchQueue> {
  const boss = new PgBoss({ connectionString: url, max: 12, schedule: false, supervise: false });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('noop');
  return {
    url,
    async enqueue(n) {
      await boss.send('noop', { n });
    },
    async enqueueMany(count) {
      await boss.insert(Array.from({ length: count }, (_, n) => ({ name: 'noop', data: { n } })));
    },
    // Its work() polls at most twice a second. To measure the queue in a drain, each slot fetches and completes by itself.
    async work(concurrency, onStart) {
      let done = 0;
      const stopping = new AbortController();
      const slots = Array.from({ length: concurrency }, async () => {
        while (!stopping.signal.aborted) {
          const jobs = await boss.fetch<{ n: number }>('noop');
          for (const job of jobs) {
            onStart(job.data.n);
            await boss.complete('noop', job.id);
            done++;
          }
          if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 500));
        }
      });
      return {
        done: () => done,
        async stop() {
          stopping.abort();
          await Promise.all(slots);
        },
      };
    },
    close: () => boss.stop({ graceful: false }),
  };
}

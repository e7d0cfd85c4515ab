/** `animus http` as a separate process that tests can kill. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import { sharedCompileCache } from './compile-cache.ts';
import { LAUNCHER } from './daemon-process.ts';
import { eventually } from './eventually.ts';

export interface HttpProcess {
  kill(): Promise<void>;
}

/** Starts one on this port; resolves when it answers. It is killed with the test at the latest. */
export async function startHttpProcess(port: number, databaseUrl: string): Promise<HttpProcess> {
  const child = spawn(process.execPath, [LAUNCHER, 'http', '--listen', `127.0.0.1:${port}`], {
    env: { PATH: process.env['PATH'], HOME: tmpdir(), DATABASE_URL: databaseUrl, ...sharedCompileCache() },
    stdio: 'ignore',
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  await eventually('the server answers', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return answer?.status === 200 || null;
  });
  return { kill };
}

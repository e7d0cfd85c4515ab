/** A server of event streams that can be killed. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Starts one in a process of its own. It is killed with the test at the latest. */
export async function startKillableServer(
  databaseUrl: string,
): Promise<{ readonly url: string; kill(): Promise<void> }> {
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    [new URL('./event-server-process.ts', import.meta.url).pathname],
    { env: { ...process.env, DATABASE_URL: databaseUrl } },
  );
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return { url: value as string, kill };
}

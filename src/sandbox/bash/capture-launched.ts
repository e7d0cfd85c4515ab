/** Reads what a launched process prints until it has ended. */
import { finished } from 'node:stream/promises';
import type { LaunchedProcess, ProcessResult } from '../../process/process-host.ts';
import { captureOutput } from '../../process/supervisor/output-capture.ts';

/**
 * A process may print this much at a time, per stream. One that prints more is slowed down: it would otherwise keep this process busy with
 * output that is thrown away.
 */
const QUOTA_BYTES = 8 * 2 ** 20;
const QUOTA_MS = 250;

/** Resolves when it has ended and its output is read; never rejects. Keeps `maxBytes` per stream: the start and the end. */
export async function captureLaunched(process: LaunchedProcess, maxBytes: number): Promise<ProcessResult> {
  const [stdout, stderr] = [process.stdout, process.stderr].map((stream) => {
    const capture = captureOutput(maxBytes);
    let quota = QUOTA_BYTES;
    let pause: NodeJS.Timeout | null = null;
    const resume = (): void => {
      if (pause !== null) clearTimeout(pause);
      pause = null;
      quota = QUOTA_BYTES;
      stream.resume();
    };
    stream.on('data', (chunk: Buffer) => {
      capture.add(chunk);
      quota -= chunk.length;
      if (quota > 0 || pause !== null) return;
      stream.pause();
      pause = setTimeout(resume, QUOTA_MS);
    });
    void process.exited.then(resume);
    return { capture, read: finished(stream).catch(() => undefined) };
  });
  const end = await process.exited;
  await Promise.all([stdout?.read, stderr?.read]);
  return { ...end, stdout: stdout!.capture.finish(), stderr: stderr!.capture.finish() };
}

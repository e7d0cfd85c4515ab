/** The copies of its output that the runner sends while the code runs. */
import { describe, expect, it } from 'vitest';
import { type Message, missingPython, runOnHost } from '../support/sandbox-runner.ts';

const missing = missingPython();

/** Collects the copies by stream, and the lengths of the pieces. */
function copies() {
  const of: Record<string, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  const lengths: number[] = [];
  const watch = ({ method, params = {} }: Message): undefined => {
    if (method !== 'output') return;
    const piece = Buffer.from(String(params['base64']), 'base64');
    const stream = String(params['stream']);
    of[stream] = Buffer.concat([of[stream]!, piece]);
    lengths.push(piece.length);
  };
  return { of, lengths, watch };
}

describe.skipIf(missing)(`output while code runs${missing === null ? '' : ` (${missing})`}`, () => {
  it.concurrent('is sent before the code ends, and stdout and stderr apart', async () => {
    const seen: string[] = [];
    const code = `
import sys
print("ready")
print("careful", file=sys.stderr)
while True: pass
`;
    const { of, watch } = copies();
    // The code ends at its time-out only; what it printed was there before.
    const ran = await runOnHost({
      code,
      liveBytes: 1000,
      timeoutSeconds: 1,
      watch(message) {
        if (message.method === 'output') seen.push('output');
        if (message.id === 'execute') seen.push('end');
        return watch(message);
      },
    });
    expect(ran.ended).toBe('timeout');
    expect(seen.slice(0, 2)).toEqual(['output', 'output']);
    expect(of['stdout']?.toString()).toBe('ready\n');
    expect(of['stderr']?.toString()).toBe('careful\n');
  });

  it.concurrent('is sent in few pieces, whole up to the limit, and not beyond it', async () => {
    const code = 'for n in range(20000): print(f"{n:09}")\nprint("\\u00e4" * 10)';
    const all = copies();
    const ran = await runOnHost({ code, liveBytes: 1_000_000, limits: { stdout_bytes: 100 }, watch: all.watch });
    expect(ran.stdout?.bytes).toBe(200_021);
    expect(all.of['stdout']?.length).toBe(200_021);
    expect(all.of['stdout']?.toString().endsWith('000019999\nääääääääää\n')).toBe(true);
    expect(Math.max(...all.lengths)).toBeLessThanOrEqual(48 * 1024);
    expect(all.lengths.length).toBeLessThan(200);
    const some = copies();
    await runOnHost({ code, liveBytes: 1001, watch: some.watch });
    expect(some.of['stdout']?.length).toBe(1001);
  });

  it.concurrent('is not sent unless it was asked for', async () => {
    const { lengths, watch } = copies();
    expect(await runOnHost({ code: 'print(1)', watch })).toMatchObject({ stdout: { text: '1\n' } });
    expect(lengths).toEqual([]);
  });

  it.concurrent('an endless flood neither holds up the end nor is sent whole', async () => {
    const { of, watch } = copies();
    const code = 'import subprocess\nsubprocess.run(["yes"])';
    const ran = await runOnHost({ code, liveBytes: 3_000_000, timeoutSeconds: 1, watch });
    expect(ran.ended).toBe('timeout');
    expect(ran.stdout!.bytes).toBeGreaterThan(3_000_000);
    expect(of['stdout']?.length).toBe(3_000_000);
  });

  it.concurrent('the status of an exit is reported', async () => {
    const status = async (code: string) => (await runOnHost({ code })) as { readonly exit_status?: number | null };
    expect(await status('import sys\nsys.exit(3)')).toMatchObject({ ended: 'raised', exit_status: 3 });
    expect(await status('import sys\nsys.exit("no input")')).toMatchObject({ ended: 'raised', exit_status: 1 });
    expect(await status('1 / 0')).toMatchObject({ ended: 'raised', exit_status: null });
    expect(await status('return 1')).toMatchObject({ ended: 'returned', exit_status: null });
  });
});

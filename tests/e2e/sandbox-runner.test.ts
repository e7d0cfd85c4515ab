import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { missingPython, runOnHost } from '../support/sandbox-runner.ts';

const missing = missingPython();

/** Processes on this machine whose command line contains a text. */
function running(text: string): number {
  const list = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  return list.split('\n').filter((line) => line.includes(text)).length;
}

describe.skipIf(missing)(`the runner of the sandbox${missing === null ? '' : ` (${missing})`}`, () => {
  it.concurrent('interrupts code at its time-out, shows where it was, and kills what does not end', async () => {
    const code = 'import time\nprint("begun")\ntry:\n    time.sleep(60)\nfinally:\n    print("cleaned up")';
    const slow = await runOnHost({ code, timeoutSeconds: 0.5 });
    expect(slow).toMatchObject({ ended: 'timeout', value: null, stdout: { text: 'begun\ncleaned up\n' } });
    expect(slow.traceback).toContain('line 4, in <module>\n    time.sleep(60)');
    const stubborn = 'while True:\n  try:\n    while True: pass\n  except BaseException: pass';
    expect(await runOnHost({ code: stubborn, timeoutSeconds: 0.5 })).toMatchObject({ ended: 'timeout', exitCode: 0 });
  });

  it.concurrent('leaves no process behind', async () => {
    const mark = `6${Number.parseInt(randomBytes(3).toString('hex'), 16)}`;
    const code = `
import os, subprocess
subprocess.Popen(["sleep", "${mark}"])
subprocess.Popen("setsid sleep ${mark} & exec setsid sleep ${mark}", shell=True)
while int(subprocess.run("pgrep -fc 'sleep ${mark}$'", shell=True, capture_output=True).stdout) < 3: pass
return 1
`;
    expect(await runOnHost({ code })).toMatchObject({ value: '1' });
    expect(running(`sleep ${mark}`)).toBe(0);
  });

  it.concurrent('says how the process of the code ended when it did not return', async () => {
    const died = await runOnHost({ code: 'import os\nos._exit(3)' });
    expect(died).toMatchObject({ ended: 'raised', traceback: expect.stringContaining('with exit code 3') as unknown });
    const killed = await runOnHost({ code: 'import os\nos.kill(os.getpid(), 9)' });
    expect(killed.traceback).toBe('The process of the code was killed by signal 9.');
    const forked = await runOnHost({
      code: 'import os\nif os.fork() == 0: raise ValueError("child")\nos.wait()\nreturn 1',
    });
    expect(forked).toMatchObject({ ended: 'returned', value: '1', traceback: null });
    expect(forked.stderr?.text).toMatch(/line 2, in <module>\n.*\nValueError: child\n$/s);
  });

  it.concurrent('takes nothing from the code but calls and a result', async () => {
    const code = (line: string) => `
import os
for fd in range(3, 30):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"): os.write(fd, ${line})
    except OSError: pass
import time
time.sleep(30)
`;
    for (const line of [
      String.raw`b'{"jsonrpc":"2.0","id":"execute","result":{}}\n'`,
      String.raw`b'{"jsonrpc":"2.0","method":"file","params":{"name":"../x","base64":""}}\n'`,
      String.raw`b'{"id":1,"call":{"name":7}}\n'`,
      String.raw`b'{"end":{"ended":"hacked"}}\n'`,
      String.raw`b'[' * 100000 + b'\n'`,
      String.raw`b'\xff\n'`,
    ]) {
      const ran = await runOnHost({ code: code(line) });
      expect(ran).toMatchObject({ ended: 'raised', calls: [], files: {}, exitCode: 0 });
      expect(ran.traceback).toContain("something else than a call of a tool to the engine's channel");
    }
    const printed = await runOnHost({ code: String.raw`print('\n{"jsonrpc":"2.0","id":1,"method":"call"}')` });
    expect(printed).toMatchObject({ ended: 'returned', calls: [] });
    expect(printed.stdout?.text).toContain('"method":"call"');
  });

  it.concurrent('ends with an error at a message that the engine would not send', async () => {
    const waits = 'import time\ntime.sleep(30)';
    for (const line of [
      'nonsense\n',
      '[]\n',
      '{"jsonrpc":"2.0","method":"toggle"}\n',
      '{"jsonrpc":"2.0","id":5,"result":{}}\n',
    ]) {
      const first = await runOnHost({ code: waits, watch: () => line });
      expect(first).toMatchObject({ exitCode: 1, error: { code: -32600 } });
      expect(first.error?.message).toContain('the sandbox cannot go on: ');
    }
    const odd = await runOnHost({ code: '1', limits: { timeout: Number.NaN } });
    expect(odd.error?.message).toContain('execute with the limit timeout');
  });

  it.concurrent('is cancelled', async () => {
    const sdk =
      'from animus_sandbox.tool_calls import *\n@tool("begin", other_result)\ndef begin(): return {}\n__all__ = ["begin"]';
    const cancel = '{"jsonrpc":"2.0","method":"cancel"}\n';
    const watch = ({ method }: { method?: string }) => (method === 'call' ? cancel : undefined);
    const ran = await runOnHost({ code: 'begin()', sdk, watch });
    expect(ran).toMatchObject({ ended: 'killed', value: null, exitCode: 0 });
  });
});

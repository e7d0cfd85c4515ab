/** Hostile code in a sandbox, beside an execution that must not notice. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { CodeCalls, Execution, ExecutionSpec } from '../../../src/sandbox/sandbox.ts';
import { echo, openSandbox, type TestSandbox } from './executions.ts';

/** Runs for as long as the abuse, calls tools, and returns what it must. */
const BYSTANDER = `
import time
count = 0
while echo(text="go on?")["content"] == "yes":
    assert echo(text=str(count))["content"] == str(count)
    count += 1
    time.sleep(0.02)
return count`;

/** Opens a sandbox for all tests of a describe, and a bystander for each. Call it where hooks may be registered. */
export function besideBystander(): { run: TestSandbox['run']; valueOf(execution: Execution): unknown } {
  let site: TestSandbox;
  let bystander: { stop(): Promise<Execution> };
  beforeAll(async () => {
    site = await openSandbox();
  });
  afterAll(async () => {
    await site?.stop();
    expect(await site?.left()).toEqual([]);
  });
  beforeEach(() => {
    let going = true;
    let asked = 0;
    const calls: CodeCalls = async (call, signal) =>
      (call.input as { text: string }).text === 'go on?'
        ? { content: going || asked++ < 3 ? 'yes' : 'no', isError: false }
        : echo(call, signal);
    const spec: Partial<ExecutionSpec> = { owner: 'bystander', timeoutMs: 60_000 };
    const execution = site.run(BYSTANDER, spec, calls);
    bystander = {
      stop() {
        going = false;
        return execution;
      },
    };
  });
  afterEach(async () => {
    const { ended, value, traceback } = await bystander.stop();
    expect({ ended, traceback }).toEqual({ ended: 'returned', traceback: undefined });
    expect(Number(value)).toBeGreaterThan(0);
  });
  return {
    run: (...args) => site.run(...args),
    valueOf(execution) {
      expect(execution).toMatchObject({ ended: 'returned' });
      return JSON.parse(execution.value ?? 'null');
    },
  };
}

/** A sandbox without containers: the code is a function of the test. */
import type { CodeCalls, Execution, ExecutionSpec, Sandbox } from '../../../src/sandbox/sandbox.ts';

export type FakeCode = (
  call: (name: string, input?: unknown) => ReturnType<CodeCalls>,
  spec: ExecutionSpec,
  signal: AbortSignal,
) => Promise<Partial<Execution>>;

const EMPTY = { text: '', bytes: 0 } as const;

export function fakeSandbox(code: FakeCode): Sandbox {
  let id = 0;
  return {
    start: async () => {},
    stop: async () => {},
    warm: () => {},
    async execute(spec, calls, signal) {
      const execution: Execution = { ended: 'returned', value: null, stdout: EMPTY, stderr: EMPTY, files: [] };
      const call = (name: string, input: unknown = {}) => calls({ id: String(++id), name, input }, signal);
      const aborted = new Promise<Partial<Execution>>((resolve) => {
        const killed = { ended: 'killed', problem: 'the execution was stopped' } as const;
        signal.addEventListener('abort', () => resolve(killed), { once: true });
      });
      return { ...execution, ...(await Promise.race([code(call, spec, signal), aborted])) };
    },
  };
}

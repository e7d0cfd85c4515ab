/** A sandbox for tests, on the engine of this machine, with the shared image. */
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/execution/contained-sandbox.ts';
import type { CodeCalls, CodeTool, Execution, ExecutionSpec, Sandbox } from '../../../src/sandbox/sandbox.ts';
import { sdkSource } from '../../../src/sandbox/sdk/sdk-source.ts';
import { builtImage } from './built-image.ts';
import { type TestHost, testHost } from './containers.ts';

/** A tool that returns its text. */
export const ECHO: readonly CodeTool[] = [
  {
    name: 'echo',
    description: 'Returns its text.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];

export const echo: CodeCalls = async ({ input }) => ({
  content: (input as { text: string }).text,
  isError: false,
});

export interface TestSandbox extends TestHost {
  readonly sandbox: Sandbox;
  run(code: string, more?: Partial<ExecutionSpec>, calls?: CodeCalls, signal?: AbortSignal): Promise<Execution>;
}

/** Opens one; `stop` leaves nothing. */
export async function openSandbox(more: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const opened = testHost();
  const sandbox = createSandbox({
    containers: opened.host,
    sdkSource,
    image: await builtImage(),
    runtime: null,
    poolSize: 2,
    maxExecutions: 30,
    maxProcesses: 64,
    workMib: 16,
    ...more,
  });
  return {
    ...opened,
    sandbox,
    run: (code, spec = {}, calls = echo, signal = new AbortController().signal) =>
      sandbox.execute(
        {
          owner: 'owner',
          code,
          tools: ECHO,
          timeoutMs: 20_000,
          image: '',
          memoryBytes: 128 * 2 ** 20,
          cpus: 1,
          skills: [],
          ...spec,
        },
        calls,
        signal,
      ),
    async stop() {
      await sandbox.stop();
      await opened.stop();
    },
  };
}

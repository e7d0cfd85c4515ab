/** The channel between code in a container and the engine: what the runner writes comes through a pipe, and its calls run in a focus. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import { z } from 'zod';
import { JSON_LIMITS } from '../../../src/core/text/json-limits.ts';
import type { HeldContainer } from '../../../src/sandbox/container-host.ts';
import { openRunner } from '../../../src/sandbox/execution/open-runner.ts';
import { runCode } from '../../../src/sandbox/execution/run-code.ts';
import type { CodeCalls, ExecutionSpec } from '../../../src/sandbox/sandbox.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { FILE_TOOLS } from '../../../src/tools/files.ts';
import { worldTool } from '../../../src/tools/tool.ts';
import { codeFocus, runFocus } from '../../engage/calls/code-focus.ts';
import { FEW, SHAPES } from './corpus.ts';
import { measure } from './door.ts';

const MIB = 2 ** 20;
const BYTES = 11.9 * MIB;
const SPEC: ExecutionSpec = {
  owner: 'w',
  code: '',
  tools: [],
  timeoutMs: 60_000,
  image: '',
  memoryBytes: 2 ** 28,
  cpus: 1,
  skills: [],
};
const NOTHING = { text: '', bytes: 0 };
const RESULT = { ended: 'returned', value: '1', stdout: NOTHING, stderr: NOTHING };
const RETURNED = `${JSON.stringify({ jsonrpc: '2.0', id: 'execute', result: RESULT })}\n`;

/** Takes any object, and a checked one; both answer with nothing. */
const TOOLS = [
  tool('take', z.record(z.string(), z.json())),
  tool('take_loose', z.looseObject({ a: z.json().optional() })),
  tool('take_strict', z.strictObject({ b: z.string().optional() })),
];

function tool(name: string, input: z.ZodType<object>) {
  return worldTool({
    name,
    description: name,
    risk: 'write',
    idempotent: false,
    input,
    run: async () => ({ content: '' }),
  });
}

/** Sends every shape as the input of a call of each tool, then other messages of the runner. */
export async function throughSandbox(db: Database, directory: string): Promise<void> {
  let failure: unknown = new Error('the code was stopped');
  let refused = '';
  const answers: string[] = [];
  const writing = FILE_TOOLS.find(({ name }) => name === 'write_file')!;
  const focus = await codeFocus(
    db,
    async (nested, _call, context) => {
      const calls: CodeCalls = async ({ name, input, unread }, signal) => {
        const { content, isError = false } = await nested.call({ name, input, unread }, signal);
        refused = isError ? content : '';
        return { content, isError };
      };
      for (const [shape, text] of Object.entries(SHAPES)) {
        const input = text(BYTES, JSON_LIMITS.toolInput);
        for (const { name } of shape in FEW || shape.includes('allowed') ? TOOLS : TOOLS.slice(0, 1)) {
          await passed(`sandbox: ${name}`, shape, callLine(name, input), directory, calls, context.signal);
          if (shape.includes('allowed') && name === 'take') answers.push(`${shape}: ${refused}`);
        }
      }
      const content = 'ü'.repeat(5 * MIB - 100);
      const write = callLine('write_file', JSON.stringify({ path: join(directory, 'written'), content }));
      await passed('sandbox: write_file', 'as much as is allowed', write, directory, calls, context.signal);
      const base64 = 'A'.repeat(13 * MIB);
      const file = JSON.stringify({ jsonrpc: '2.0', method: 'file', params: { name: 'f', base64 } });
      await passed('sandbox: files', 'a file of 10 MiB', `${file}\n${RETURNED}`, directory, calls, context.signal);
      for (const [shape, text] of Object.entries(SHAPES)) {
        const value = text(MIB, JSON_LIMITS.outcome);
        const result = JSON.stringify({ jsonrpc: '2.0', id: 'execute', result: { ...RESULT, value } });
        await passed('sandbox: value', shape, `${result}\n`, directory, calls, context.signal);
      }
      failure = null;
      return 'done';
    },
    [...TOOLS, writing],
  );
  const { callScope } = focus.means();
  const end = await runFocus(focus, { callScope: { ...callScope, workspace: directory, timeoutMs: 600_000 } });
  expect([failure, end.kind]).toEqual([null, 'done']);
  expect(answers.filter((answer) => !answer.endsWith(': '))).toEqual([]);
  expect(answers).toHaveLength(5);
}

function callLine(name: string, input: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"call","params":{"name":"${name}","input":${input}}}\n`;
}

/** The runner writes a line and, when it got an answer, that the code has returned. */
async function passed(
  door: string,
  shape: string,
  line: string,
  directory: string,
  calls: CodeCalls,
  signal: AbortSignal,
): Promise<void> {
  const path = join(directory, 'line');
  writeFileSync(path, line);
  await measure(door, shape, line.length, async () => {
    const stdout = new PassThrough();
    const stdin = new PassThrough();
    const held = {
      id: 'c',
      stdin,
      stdout,
      stderr: new PassThrough(),
      exited: new Promise(() => {}),
      outOfMemory: () => false,
      lives: async () => true,
    };
    const container = { ...held, destroy: async () => void stdout.end() } as unknown as HeldContainer;
    stdout.write('{"jsonrpc":"2.0","method":"ready"}\n');
    const runner = await openRunner(container, 'image', 5000);
    const written = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'ignore'] });
    written.stdout.pipe(stdout, { end: false });
    stdin.on('data', (data: Buffer) => {
      if (data.includes('"id":1,')) stdout.write(RETURNED);
    });
    return runCode(runner, SPEC, calls, signal, '');
  });
}

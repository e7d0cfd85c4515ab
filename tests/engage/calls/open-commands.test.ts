/** Promise: what runs in the background is told from the transcript alone, is mentioned in stubs, and is reported lost exactly once. */
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openCommands } from '../../../src/engage/calls/open-commands.ts';
import { LOST_COMMANDS, lostCommandsNotice } from '../../../src/engage/prompt/prompt.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import type { RecordedCall } from '../../../src/store/transcript/calls.ts';
import { readTranscript, type Transcript } from '../../../src/store/transcript/transcript.ts';
import { toolset } from '../../../src/tools/registry.ts';
import { createBackgroundCommands } from '../../../src/tools/shell/background-commands.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus } from '../../support/focus.ts';
import { engage } from '../../support/run-loop.ts';

const started = (id: string, input: object = { command: 'x', background: true }) =>
  callOf('bash', input, `${id} runs in the background (0.5 s)\n(no new output)`);
const looked = (id: string, state: string) => callOf('bash_job', { id }, `${id} ${state}\nbg_999999 ended after 1 s`);

test.each<[string, readonly RecordedCall[], readonly string[]]>([
  ['started', [started('bg_000001'), started('bg_000002')], ['bg_000001', 'bg_000002']],
  ['still running', [started('bg_000001'), looked('bg_000001', 'is running (3 s)')], ['bg_000001']],
  ['ended', [started('bg_000001'), looked('bg_000001', 'ended after 3 s: exit code 0')], []],
  ['ended at once', [callOf('bash', { background: true }, 'bg_000001 ended after 0.1 s: exit code 1')], []],
  ['of a command in the foreground that prints so', [started('bg_000001', { command: 'x' })], []],
  ['of another tool that says so', [{ ...started('bg_000001'), name: 'web_fetch' }], []],
  [
    'with an input that a person changed',
    [{ ...started('bg_000001', {}), finalInput: { background: true } }],
    ['bg_000001'],
  ],
  [
    'after the note of a changed input',
    [callOf('bash', { background: true }, '[It ran with {}]\nbg_000001 runs in the background (1 s)')],
    ['bg_000001'],
  ],
  ['without a result', [{ ...started('bg_000001'), output: null }], []],
])('a command %s', (_, calls, expected) => {
  expect(openCommands(transcriptOf(calls))).toEqual(expected);
});

test('a command that was reported as lost is not open any more; one that was started after it is', () => {
  const transcript = transcriptOf([started('bg_000001'), started('bg_000002')], lostCommandsNotice(['bg_000001']));
  expect(openCommands(transcript)).toEqual(['bg_000002']);
});

const db = testDatabase();

test('a stub mentions what still runs, and a loop that begins again reports it as lost, once', async () => {
  const processes = createProcessHost({ graceMs: 100 });
  onTestFinished(() => processes.stop());
  const tools = toolset(['bash', 'bash_job']);
  const long = `echo ${'word '.repeat(600)}; exec sleep 300 # ${randomUUID()}`;
  const script = `
[[answer]]
[[answer.call]]
tool = "bash"
input = { command = "${long}", background = true }
[[answer]]
[[answer.call]]
tool = "ledger_append"
input = { type = "step", content = "started it" }
[[answer]]
text = "Done."
`;
  const focus = await startTestFocus(db.database, { script, tools: [...tools.values()] });
  const loop = async () => {
    const means = focus.means();
    const background = createBackgroundCommands();
    await engage({ ...means, callScope: { ...means.callScope, processes, background } });
    await background.close();
    return readTranscript(db.database, focus.key.focusId);
  };
  const first = await loop();
  const [id] = openCommands(first);
  const stub = first.messages.find(({ kind }) => kind === 'stub');
  expect(stub?.content).toContain(`still open: command ${id}`);
  const again = [await loop(), await loop()].map(({ messages }) =>
    messages.filter(({ content }) => content.startsWith(LOST_COMMANDS)),
  );
  expect(again.map((notices) => notices.map(({ content }) => content))).toEqual([
    [lostCommandsNotice([id!])],
    [lostCommandsNotice([id!])],
  ]);
});

function callOf(name: string, input: object, output: string): RecordedCall {
  return { callId: randomUUID(), name, input: { ...input }, finalInput: null, state: 'done', output, isError: false };
}

function transcriptOf(calls: readonly RecordedCall[], notice?: string): Transcript {
  const message = { afterTurn: 1, kind: 'notice' as const, content: notice ?? '', keepsFrom: null };
  return { turns: [{ turn: 1, calls }], messages: notice === undefined ? [] : [message] } as unknown as Transcript;
}

/** The engine's end of the channel: a started container whose runner is ready, and the one execution that it runs. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import type { HeldContainer } from '../container-host.ts';
import type { CodeCall, LiveOutput, SandboxFile } from '../sandbox.ts';
import { leftFiles } from './left-files.ts';
import { readLines } from './read-lines.ts';
import {
  type ExecuteParams,
  type FromRunner,
  MAX_LINE_BYTES,
  type Outcome,
  PROTOCOL,
  readMessage,
  type ToRunner,
} from './runner-messages.ts';

/** A container that waits for its execution. */
export interface OpenRunner {
  readonly held: HeldContainer;
  /** Whether it could still take an execution. */
  alive(): boolean;
  /** Runs the code; may be called once. Never rejects. `live`: who gets a copy of the output; `params` ask for it. */
  execute(params: ExecuteParams, answer: AnswerCall, live?: LiveOutput): Promise<RunnerEnd>;
}

/** Takes a call and returns the answer to the runner. */
export type AnswerCall = (id: number, call: Omit<CodeCall, 'id'>) => Promise<ToRunner>;

/** How the runner's part ended. */
export type RunnerEnd =
  | { readonly outcome: Outcome; readonly files: readonly SandboxFile[]; readonly refused: readonly string[] }
  /** There is no outcome: the container ended before, or the channel was misused. */
  | { readonly outcome: null; readonly why: 'ended' | 'misused'; readonly problem: string };

/** What the runner prints on stderr is for the log of the container; this much is kept for messages. */
const SAID_BYTES = 2000;
const LARGE_BYTES = 2 ** 20;
const MAX_IN_FLIGHT = 16;
/** The runner sends fewer. */
const MAX_WAITING = 256;
/** Of the calls under way, as lines; beyond it nothing is read. As values they may take ten times as much memory. */
const MAX_OPEN_BYTES = MAX_LINE_BYTES;

/**
 * Waits until the runner is ready. Rejects with `sandbox.refused` if the container ends before, or says something else first, or
 * takes longer than `timeoutMs`; the container is destroyed then.
 */
export async function openRunner(held: HeldContainer, image: string, timeoutMs: number): Promise<OpenRunner> {
  let said = '';
  held.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-SAID_BYTES)));
  const lines = readLines(held.stdout, MAX_LINE_BYTES);
  const first = nextMessage(lines).then(
    ({ message }) => message,
    () => null,
  );
  const late = new AbortController();
  const message = await Promise.race([
    first,
    sleep(timeoutMs, null, { signal: late.signal, ref: false }).catch(() => null),
  ]);
  late.abort();
  const isReady = message !== null && 'method' in message && message.method === 'ready';
  const protocol = isReady ? (message.params?.protocol ?? PROTOCOL) : null;
  if (protocol === PROTOCOL) return runnerOf(held, lines);
  const ended = await Promise.race([held.exited, sleep(200, null, { ref: false })]);
  void held.destroy();
  const how =
    protocol !== null
      ? `speaks protocol ${protocol}, but this version of animus speaks ${PROTOCOL}`
      : ended === null
        ? 'did not say that it is ready'
        : `ended (exit code ${ended.exitCode ?? 'unknown'})`;
  const detail = `the runner in the image ${image} ${how}${said === '' ? '' : `: ${said.trim()}`}`;
  const hint = '; build the image again (animus sandbox build), or derive yours from it';
  throw new AnimusError('sandbox.refused', { where: 'the container', detail, hint });
}

function runnerOf(held: HeldContainer, lines: AsyncGenerator<string, void>): OpenRunner {
  let alive = true;
  void held.exited.then(() => (alive = false));
  return {
    held,
    alive: () => alive,
    async execute(params, answer, live) {
      alive = false;
      void send(held, { id: 'execute', method: 'execute', params });
      return converse(held, lines, answer, copies(live)).catch(
        (error: unknown): RunnerEnd => ({ outcome: null, why: 'misused', problem: messageOf(error) }),
      );
    },
  };
}

/** Answers calls until the outcome comes. */
async function converse(
  held: HeldContainer,
  lines: AsyncGenerator<string, void>,
  answer: AnswerCall,
  copy: TakeCopy,
): Promise<RunnerEnd> {
  const left = leftFiles();
  const refused: string[] = [];
  const calls = callQueue((message) => send(held, message), answer);
  for (;;) {
    const room = calls.room();
    if (room !== null) await Promise.race([room, held.exited]);
    const { message, bytes } = await nextMessage(lines);
    if (message === null) return { outcome: null, why: 'ended', problem: 'the container ended before the code did' };
    if ('result' in message) return { outcome: message.result, files: left.files, refused };
    if ('error' in message) return { outcome: null, why: 'misused', problem: message.error.message };
    if (message.method === 'call') {
      if (!calls.add(message, bytes)) return misused(`more than ${MAX_WAITING} calls at once, or a repeated number`);
    } else if (message.method === 'file') {
      const problem = left.add(message.params.name, message.params.base64);
      if (problem !== null) refused.push(problem);
    } else if (message.method === 'output') {
      if (!copy(message)) return misused('more output than was asked for');
    } else return misused('ready twice');
  }
}

/** The next message, and about how long it was; null at the end. Throws for a line that is none. */
async function nextMessage(
  lines: AsyncGenerator<string, void>,
): Promise<{ readonly message: FromRunner | null; readonly bytes: number }> {
  const line = await lines.next();
  if (line.done) return { message: null, bytes: 0 };
  const { length: bytes } = line.value;
  // Between the steps of a long message, others have their turn.
  if (bytes > LARGE_BYTES) await nextTurn();
  const message = readMessage(line.value);
  if (bytes > LARGE_BYTES) await nextTurn();
  if (message === null) throw new Error(`an invalid message: ${JSON.stringify(line.value.slice(0, 100))}`);
  return { message, bytes };
}

type TakeCopy = (message: Extract<FromRunner, { method: 'output' }>) => boolean;

/** Passes on copies of the output; false for one that nobody has asked for. */
function copies(live: LiveOutput | undefined): TakeCopy {
  const left = { stdout: live?.bytes ?? 0, stderr: live?.bytes ?? 0 };
  return ({ params: { stream, base64 } }) => {
    const piece = Buffer.from(base64, 'base64');
    left[stream] -= piece.length;
    if (!live || left[stream] < 0) return false;
    live.onOutput(stream, piece);
    return true;
  };
}

function misused(problem: string): RunnerEnd {
  return { outcome: null, why: 'misused', problem };
}

type Call = Extract<FromRunner, { method: 'call' }>;

/** Runs so many calls at a time. One is over when its answer was taken: code that takes none must not fill our memory. */
function callQueue(reply: (message: ToRunner) => Promise<void>, answer: AnswerCall) {
  const open = new Set<number>();
  const waiting: { readonly call: Call; readonly bytes: number }[] = [];
  let running = 0;
  let openBytes = 0;
  let room = Promise.withResolvers<void>();
  const next = async (): Promise<void> => {
    const taken = waiting.shift();
    if (!taken) return;
    const { call, bytes } = taken;
    running++;
    await reply(await answer(call.id, call.params));
    running--;
    open.delete(call.id);
    openBytes -= bytes;
    if (openBytes <= MAX_OPEN_BYTES) room.resolve();
    void next();
  };
  return {
    /** Resolves when there is room for one more, however long it is; null: there is. */
    room: () => (openBytes > MAX_OPEN_BYTES ? room.promise : null),
    add(call: Call, bytes: number): boolean {
      if (open.has(call.id) || open.size === MAX_WAITING) return false;
      open.add(call.id);
      if (openBytes <= MAX_OPEN_BYTES) room = Promise.withResolvers();
      openBytes += bytes;
      waiting.push({ call, bytes });
      if (running < MAX_IN_FLIGHT) void next();
      return true;
    },
  };
}

/** Resolves when it was taken. A container that has ended reports its end by itself. */
function send(held: HeldContainer, message: ToRunner): Promise<void> {
  return new Promise((resolve) => {
    held.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`, () => resolve());
  });
}

/** The messages of the channel between the engine and the runner, PID 1 of the container: JSON-RPC 2.0, one message per line. */
import { z } from 'zod';
import { textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';

/** The longest line, in either direction. */
export const MAX_LINE_BYTES = 20 * 2 ** 20;
/** The longest result of a call. */
export const MAX_RESULT_BYTES = 16 * 2 ** 20;

const version = z.literal('2.0');
const output = z.object({ text: z.string(), bytes: z.number() });

const outcome = z.object({
  ended: z.enum(['returned', 'raised', 'timeout', 'limit', 'killed']),
  value: z.string().nullish(),
  note: z.string().nullish(),
  traceback: z.string().nullish(),
  exit_status: z.int().min(0).max(255).nullish(),
  stdout: output,
  stderr: output,
});

/** The version of these messages: PROTOCOL of docker/sandbox. */
export const PROTOCOL = 1;

const ready = z.object({
  jsonrpc: version,
  method: z.literal('ready'),
  id: z.undefined().optional(),
  params: z.object({ protocol: z.int().default(PROTOCOL) }).optional(),
});
const call = z.object({
  jsonrpc: version,
  id: z.int().min(1),
  method: z.literal('call'),
  /** `unread` is ours. */
  params: z.object({ name: z.string().max(200), input: z.unknown(), unread: z.string().optional() }),
});
const file = z.object({
  jsonrpc: version,
  method: z.literal('file'),
  id: z.undefined().optional(),
  params: z.object({ name: z.string(), base64: z.base64() }),
});
/** A copy of what the code prints. */
const printed = z.object({
  jsonrpc: version,
  method: z.literal('output'),
  id: z.undefined().optional(),
  params: z.object({ stream: z.enum(['stdout', 'stderr']), base64: z.base64() }),
});
const answer = z.object({
  jsonrpc: version,
  id: z.literal('execute'),
  method: z.undefined().optional(),
  result: outcome,
});
const refusal = z.object({
  jsonrpc: version,
  id: z.literal('execute').nullable(),
  method: z.undefined().optional(),
  error: z.object({ message: z.string() }),
});

const fromRunner = z.union([call, ready, file, printed, answer, refusal]);

/** A message of the runner. */
export type FromRunner = z.output<typeof fromRunner>;
/** How the code ended, as the runner reports it. */
export type Outcome = z.output<typeof outcome>;

/** How the runner begins the message of a call, whose input comes last. */
const CALL = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"method":"call","params":\{"name":("(?:[^"\\]|\\.){0,200}"),"input":/;

/** Reads a line; null if it is not a message that the runner may send. A call that exceeds a limit comes without its input. */
export function readMessage(line: string): FromRunner | null {
  try {
    const unread = textBeyond(line, JSON_LIMITS.runnerMessage);
    if (unread !== null) {
      const [, id, name = ''] = CALL.exec(line) ?? [];
      const params = { name: JSON.parse(name) as unknown, input: {}, unread };
      return call.safeParse({ jsonrpc: '2.0', id: Number(id), method: 'call', params }).data ?? null;
    }
    return fromRunner.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** What the runner is told to execute. */
export interface ExecuteParams {
  readonly code: string;
  readonly sdk: string;
  readonly timeout_seconds: number;
  readonly limits: {
    readonly stdout_bytes: number;
    readonly stderr_bytes: number;
    readonly value_bytes: number;
    readonly file_bytes: number;
    readonly files: number;
  };
  readonly skills: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Of how many bytes of each stream the runner sends copies (`output`); left out: of none. A runner that does not know it sends none. */
  readonly live_bytes?: number;
}

/** A message to the runner. */
export type ToRunner =
  | { readonly id: 'execute'; readonly method: 'execute'; readonly params: ExecuteParams }
  | {
      readonly id: number;
      readonly result: { readonly content: string; readonly is_error: boolean; readonly details?: unknown };
    }
  | { readonly id: number; readonly error: { readonly code: number; readonly message: string } };

import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';
import { AnimusError, fileFault, messageOf } from '../../core/errors/errors.ts';
import { readRegularFile } from '../../core/files/regular-file.ts';
import { FAILURE_KINDS, type FailureKind, type StopReason } from '../client.ts';
import { MAX_TOKENS } from '../wire/token-counts.ts';

/** A script may hold large answers. */
const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

const tokens = z.int().min(0).max(MAX_TOKENS);
const delayMs = z.int().min(0).max(600_000);
const STOPS = [
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'refusal',
  'pause_turn',
  'context_overflow',
  'other',
] as const satisfies readonly StopReason[];

const pattern = z.string().refine(isPattern, 'a regular expression (JavaScript, unicode)');

const callSchema = z.strictObject({
  tool: z.string().min(1),
  input: z.record(z.string(), z.unknown()).default({}),
  /** Raw text instead of `input`, to test a faculty with input that is not JSON. */
  invalid_input: z.string().optional(),
  id: z.string().min(1).optional(),
});

const whenSchema = z.strictObject({
  /** Found in the newest user message: its texts and tool results. */
  contains: z.string().min(1).optional(),
  matches: pattern.optional(),
  /** Found in the first user message, which describes the work item. */
  task_contains: z.string().min(1).optional(),
  /** Found in the description or the params of the work item: not in the digest of other work, which quotes theirs. */
  own_task_contains: z.string().min(1).optional(),
  system_contains: z.string().min(1).optional(),
});

const faultSchema = z.strictObject({
  kind: z.enum(Object.keys(FAILURE_KINDS) as FailureKind[]).exclude(['aborted']),
  message: z.string().default('a scripted fault'),
  retry_after_ms: delayMs.optional(),
});

const answerSchema = z
  .strictObject({
    /** For requests to this model only: `scripted/NAME`. */
    model: z.string().min(1).optional(),
    turn: z.int().min(1).optional(),
    when: whenSchema.optional(),
    text: z.string().optional(),
    thinking: z.string().optional(),
    call: z.array(callSchema).default([]),
    stop: z.enum(STOPS).optional(),
    delay_ms: delayMs.default(0),
    piece_delay_ms: delayMs.default(0),
    usage: z
      .strictObject({
        input: tokens.optional(),
        output: tokens.optional(),
        cache_read: tokens.optional(),
        cache_write: tokens.optional(),
        reasoning: tokens.optional(),
      })
      .default({}),
    fault: faultSchema.optional(),
  })
  .refine((answer) => !answer.fault || (answer.text === undefined && answer.call.length === 0), {
    path: ['fault'],
    message: 'no text or calls together with a fault',
  });

const scriptSchema = z.strictObject({ answer: z.array(answerSchema).min(1) });

/** One answer of a script, with defaults. The keys are described in docs/scripted.md. */
export type ScriptedAnswer = z.infer<typeof answerSchema>;

/** A script: the answers, each with the requests it answers. */
export interface Script {
  /** The file of the script, for messages. */
  readonly file: string;
  readonly answers: readonly ScriptedAnswer[];
}

/** Reads a script file. Throws `config.unreadable`, or `config.invalid` with key, expectation and value. */
export function loadScript(file: string): Script {
  return parseScript(textOf(file), file);
}

/** Synchronous: the file is small and no answer is under way. A pipe or a device in its place is an error and does not block. */
function textOf(file: string): string {
  try {
    return readRegularFile(file, { maxBytes: MAX_SCRIPT_BYTES }).toString('utf8');
  } catch (error) {
    throw new AnimusError('config.unreadable', { file, detail: fileFault(error) }, { cause: error });
  }
}

/** Parses a script from its TOML text; `file` is only its name in messages. */
export function parseScript(text: string, file: string): Script {
  const parsed = scriptSchema.safeParse(parseToml(text, file));
  if (parsed.success) return { file, answers: parsed.data.answer };
  throw invalid(file, parsed.error, parseToml(text, file));
}

function parseToml(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const where = error instanceof TomlError ? `line ${error.line}, column ${error.column}` : 'the file';
    const value = messageOf(error).split('\n', 1).join();
    throw new AnimusError('config.invalid', { file, key: where, expected: 'valid TOML', value }, { cause: error });
  }
}

function invalid(file: string, error: z.ZodError, root: unknown): AnimusError {
  const issue = error.issues[0];
  if (!issue) return new AnimusError('internal.bug', { detail: 'a schema refused without a reason' });
  if (issue.code === 'unrecognized_keys') {
    const key = pathText([...issue.path, issue.keys[0] ?? '']);
    return new AnimusError('config.invalid', {
      file,
      key,
      expected: 'a key of docs/scripted.md',
      value: issue.keys.slice(0, 1).join(),
    });
  }
  const value = issue.path.reduce<unknown>(
    (at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step],
    root,
  );
  const expected = issue.message.replace(/^[^:]+: expected /, '').replace(/, received \w+$/, '');
  return new AnimusError('config.invalid', { file, key: pathText(issue.path), expected, value: value ?? 'nothing' });
}

/** `answer[2].call[0].tool`, counting from 1 as people do. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step + 1}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

function isPattern(source: string): boolean {
  try {
    void new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

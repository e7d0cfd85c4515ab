/** Gets the outcome of the work from the final answer: reads it, checks it against the faculty's schema, asks for one repair. */
import { type OutcomeSchema, outcomeOfAnswer, outcomeProblems } from '../../catalog/faculty/outcome-schema.ts';
import { entryText, fenced } from '../../core/text/fence.ts';
import { textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { isObject } from '../../core/text/json-values.ts';
import { objectsInText } from './objects-in-text.ts';

export type Outcome = Readonly<Record<string, unknown>>;

declare const held: unique symbol;

/** An outcome that was checked against the schema of its faculty. Only `holdOutcome` and `readOutcome` make one, so that work cannot end with any other. */
export type HeldOutcome = Outcome & { readonly [held]: true };

export type OutcomeReading =
  | { readonly kind: 'outcome'; readonly outcome: HeldOutcome }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** Maximum length of a summary, which `status` and the digest show. */
const MAX_SUMMARY_CHARS = 300;

/**
 * The outcome in a final answer. Without a schema: its text. With a schema: the JSON object that is the answer or its last fenced block;
 * where neither is one, the only object in the text that conforms.
 */
export async function readOutcome(text: string, schema: OutcomeSchema | null): Promise<OutcomeReading> {
  if (schema === null) return { kind: 'outcome', outcome: { text } as Outcome as HeldOutcome };
  const found = objectIn(text);
  if ('object' in found) return readObject(schema, found.object);
  const readings = await Promise.all(objectsInText(text).map((object) => readObject(schema, object)));
  const conforming = readings.filter(({ kind }) => kind === 'outcome');
  if (conforming.length === 1) return conforming[0]!;
  if (conforming.length > 1) {
    return { kind: 'invalid', problems: [`${conforming.length} different JSON objects in it conform; only one may`] };
  }
  return readings.length === 1 ? readings[0]! : { kind: 'invalid', problems: [found.problem] };
}

async function readObject(schema: OutcomeSchema, object: Outcome): Promise<OutcomeReading> {
  const { outcome, problems } = await outcomeOfAnswer(schema, object);
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'outcome', outcome: outcome as HeldOutcome };
}

/** Checks the outcome that a command, a hook or code gives against the schema; null: any conforms. What is not an object is stored under `value`. */
export async function holdOutcome(given: unknown, schema: OutcomeSchema | null): Promise<OutcomeReading> {
  const outcome = outcomeOf(given);
  const problems = schema === null ? [] : await outcomeProblems(schema, outcome);
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'outcome', outcome: outcome as HeldOutcome };
}

/** The error message of an attempt whose outcome was refused. */
export function nonconforming(problems: readonly string[]): string {
  return `the outcome does not conform to outcome_schema: ${problems.join('; ')}`;
}

function outcomeOf(printed: unknown): Outcome {
  return isObject(printed) ? printed : { value: printed };
}

/** One line for lists: the outcome's own `summary`, or the first line of text in the answer. */
export function summaryOf(text: string, outcome: Outcome): string {
  const own = outcome['summary'];
  const words = typeof own === 'string' && own.trim() !== '' ? own : (firstWords(text) ?? JSON.stringify(outcome));
  const line = words.trim().split('\n', 1)[0]!.trim();
  return line.length <= MAX_SUMMARY_CHARS ? line : `${line.slice(0, MAX_SUMMARY_CHARS - 1).toWellFormed()}…`;
}

/** The part of the system prompt about the outcome; empty without a schema. */
export function outcomeInstruction(schema: OutcomeSchema | null): string {
  if (schema === null) return '';
  return `\n\n# The form of your final answer\nYour final answer must contain the outcome as one JSON object, as its whole text or in one fenced block (\`\`\`json), that conforms to this JSON Schema:\n${JSON.stringify(schema)}`;
}

const REPAIR = 'Your final answer does not hold a valid outcome:';

/** Asks once for a valid outcome. */
export function repairNotice(problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${entryText(problem)}`).join('\n');
  return `${REPAIR}\n${fenced(list)}\nAnswer again with the whole outcome as one JSON object that conforms to the schema. This is the only repair: another invalid one ends the work as failed.`;
}

/** True for a message that asks for a repair. */
export function isRepairNotice(content: string): boolean {
  return content.startsWith(REPAIR);
}

const CLOSING = 'Your work is done; what is left is its outcome:';

/** Asks for the outcome alone, of a model that is held to the schema in this answer, and can call no tool in it. */
export function closingNotice(problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${entryText(problem)}`).join('\n');
  return `${CLOSING} your last answer does not hold a valid one yet.\n${fenced(list)}\nAnswer now with the whole outcome as one JSON object that conforms to the schema, and nothing else. No tool can be called in this answer.`;
}

/** True for a message that asked for the outcome alone. */
export function isClosingNotice(content: string): boolean {
  return content.startsWith(CLOSING);
}

function objectIn(text: string): { readonly object: Outcome } | { readonly problem: string } {
  const whole = text.trim();
  // A line of JSON text begins no block: its strings have no line ends.
  const fenced = lastFencedBlock(whole);
  if (!whole.startsWith('{') && fenced === null) {
    return { problem: 'there is no JSON object in it, neither as the whole text nor in a fenced block (```json)' };
  }
  try {
    const json = fenced ?? whole;
    const beyond = textBeyond(json, JSON_LIMITS.outcome);
    if (beyond !== null) return { problem: beyond };
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return { object: value };
    return { problem: 'the fenced block holds JSON that is not an object' };
  } catch (error) {
    return { problem: `it is not valid JSON: ${(error as Error).message}` };
  }
}

/** Reads line by line, because an answer may be long and full of backticks; an unclosed block does not count. */
function lastFencedBlock(text: string): string | null {
  let open: { readonly fence: string; readonly lines: string[] } | null = null;
  let last: string | null = null;
  for (const line of text.split('\n')) {
    const fence = /^\s*(`{3,}|~{3,})\s*(\w*)\s*$/.exec(line);
    if (open === null) {
      if (fence) open = { fence: fence[1]!, lines: [] };
    } else if (fence?.[2] === '' && fence[1]!.startsWith(open.fence)) {
      last = open.lines.join('\n');
      open = null;
    } else open.lines.push(line);
  }
  return last;
}

/** The first line that is neither JSON nor a fence. */
function firstWords(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return null;
  const line = trimmed.split('\n', 1)[0]!;
  return /^(`{3,}|~{3,})/.test(line) || line === '' ? null : line;
}

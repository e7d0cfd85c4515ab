/** What the model reads about code that has run. */
import { mediaTypeOf } from '../../llm/media/inspect-media.ts';
import type { CapturedText, Execution } from '../../sandbox/sandbox.ts';
import type { OutputFile } from '../media.ts';
import { type EndedNestedCall, type ToolOutput, toolError } from '../tool.ts';
import type { ContainedRun, KeptFile } from './contained-run.ts';

/** A larger value is stored whole and shown in part, like every large result. */
const MAX_VALUE_CHARS = 4 * 1024 * 1024;
const MAX_TRACEBACK_CHARS = 16_384;
const MAX_NAMED = 20;
const MAX_PICTURES = 10;

/** What else happened. */
export interface ExecutionFacts extends Pick<ContainedRun, 'files' | 'calls'> {
  readonly timeoutMs: number;
}

/** The result of the call: how the code ended, what it returned and printed, its files, and calls that are in doubt. */
export function reportExecution(execution: Execution, facts: ExecutionFacts): ToolOutput {
  const { ended, stdout, stderr } = execution;
  const content = [
    headline(execution, facts),
    ...callLines(ended, facts.calls),
    ...section('stdout', stdout),
    ...section('stderr', stderr),
    ...facts.files.map(fileLine),
  ].join('\n');
  const details = {
    ended,
    calls: facts.calls.length,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    files: facts.files.length,
  };
  if (ended !== 'returned') return toolError(content, details);
  const files = facts.files.flatMap(pictureOf).slice(0, MAX_PICTURES);
  return { content, details, ...(files.length > 0 && { files }) };
}

/** An image or a PDF file that was kept. */
function pictureOf({ file: { name, bytes }, kept }: KeptFile): OutputFile[] {
  const mediaType = mediaTypeOf(bytes);
  return mediaType === null || 'problem' in kept ? [] : [{ name, mediaType, bytes, artifactId: kept.artifactId }];
}

function headline({ ended, value, note, traceback, problem }: Execution, { timeoutMs }: ExecutionFacts): string {
  const why = problem === undefined ? '' : `: ${problem}`;
  switch (ended) {
    case 'returned': {
      const shown = value === null ? 'nothing' : shortened(value, MAX_VALUE_CHARS);
      return note === undefined ? `returned ${shown}` : `returned ${shown}\n[${note}]`;
    }
    case 'raised':
      return `the code raised an exception:\n${shortened((traceback ?? problem ?? 'unknown').trimEnd(), MAX_TRACEBACK_CHARS)}`;
    case 'timeout':
      return `the code did not end within ${timeoutMs / 1000} s and was stopped${why}${traced(traceback)}`;
    case 'limit':
      return `the code was stopped at a limit${why}${traced(traceback)}`;
    case 'killed':
      return `the code was stopped from outside${why}${traced(traceback)}`;
    case 'unavailable':
      return `the code did not run${why}. Go on without execute_code: call the tools directly.`;
    default:
      return ended satisfies never;
  }
}

function traced(traceback: string | undefined): string {
  return traceback === undefined ? '' : `\n${shortened(traceback.trimEnd(), MAX_TRACEBACK_CHARS)}`;
}

/** What interrupted code has done; for any code, the calls that may or may not have happened. */
function callLines(ended: Execution['ended'], calls: readonly EndedNestedCall[]): string[] {
  const lines: string[] = [];
  if (ended !== 'returned' && calls.length > 0) lines.push(`before that, it made these calls: ${counts(calls)}`);
  const inDoubt = calls.filter(({ state }) => state === 'in_doubt');
  if (inDoubt.length > 0) {
    const named = inDoubt.slice(0, MAX_NAMED).map(({ n, name }) => `${name} (call ${n})`);
    const more = inDoubt.length > named.length ? ` and ${inDoubt.length - named.length} more` : '';
    const what = 'calls that were stopped and may or may not have happened; check before you repeat them';
    lines.push(`${what}: ${named.join(', ')}${more}`);
  }
  return lines;
}

function counts(calls: readonly EndedNestedCall[]): string {
  const byTool = Map.groupBy(calls, ({ name }) => name);
  const parts = [...byTool].map(([name, own]) => {
    const failed = own.filter(({ state }) => state !== 'done').length;
    return `${name} ${own.length === 1 ? 'once' : `${own.length} times`}${failed > 0 ? ` (${failed} of them not done)` : ''}`;
  });
  const more = parts.length - MAX_NAMED;
  return parts.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} other tools` : '');
}

function section(name: string, { text, bytes }: CapturedText): string[] {
  if (bytes === 0) return [];
  const whole = Buffer.byteLength(text) >= bytes;
  const shown = text.replaceAll('\0', '\u2400');
  return [
    whole ? `${name}:` : `${name} (${bytes} bytes, the middle left out):`,
    shown.endsWith('\n') ? shown.slice(0, -1) : shown,
  ];
}

function fileLine({ file, kept }: KeptFile): string {
  const name = JSON.stringify(file.name);
  return 'problem' in kept
    ? `file ${name} was not kept: ${kept.problem}`
    : `file ${name} (${file.bytes.length} bytes) is kept as artifact ${kept.artifactId}`;
}

/** The beginning and the end of a long text, at most `most` characters of it. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const [head, tail] = [text.slice(0, (most * 2) / 3), text.slice(-most / 3)];
  return `${head.toWellFormed()}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail.toWellFormed()}`;
}

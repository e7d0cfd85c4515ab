/** The log messages of the source, for the table in docs/telemetry.md and the test that keeps it current. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A message that the source logs with a constant text, and its level. */
export interface LogMessage {
  readonly level: string;
  readonly message: string;
}

/** The start of a log call. */
const CALL = /\blog\.(debug|info|warn|error)\(\s*/g;

/** All constant messages passed to `log.debug|info|warn|error` below `directory`, each once, sorted by message. */
export function logMessages(directory: string): LogMessage[] {
  const found = new Map<string, LogMessage>();
  for (const file of globSync('**/*.ts', { cwd: directory })) {
    const source = readFileSync(join(directory, file), 'utf8');
    for (const call of source.matchAll(CALL)) {
      const message = constantMessage(source.slice(call.index + call[0].length));
      if (message !== null) found.set(`${message} ${call[1]}`, { level: call[1] ?? '', message });
    }
  }
  return [...found.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** The second argument, if it is a string literal. `text` starts after the opening parenthesis of the call. */
function constantMessage(text: string): string | null {
  const literal = /^(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")\s*,?\s*\)/.exec(afterFirstArgument(text));
  return literal === null ? null : (literal[1] ?? literal[2] ?? '').replaceAll(/\\(.)/g, '$1');
}

function afterFirstArgument(text: string): string {
  let depth = 0;
  for (const token of text.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[()[\]{},]/g)) {
    if ('([{'.includes(token[0])) depth += 1;
    else if (')]}'.includes(token[0])) depth -= 1;
    if (depth < 0) return '';
    if (token[0] === ',' && depth === 0) return text.slice(token.index + 1).trimStart();
  }
  return '';
}

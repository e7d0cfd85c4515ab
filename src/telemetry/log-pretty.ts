/** Formats a log line for people. */
import { styleText } from 'node:util';
import { harmless, harmlessJsonLine, harmlessLines } from '../core/text/harmless.ts';

const STYLE = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' } as const;

/**
 * `12:01:02 INFO  message key=value …`; a stack is on separate lines. Takes and returns one line with its newline. No content of the
 * fields can control the terminal.
 */
export function prettyLine(json: string): string {
  const { level, time, message, trace_id: _, span_id: __, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const label = String(level);
  const style = STYLE[label as keyof typeof STYLE] ?? 'reset';
  const rest = Object.entries(fields).map(([key, value]) => `${paint('dim', `${harmless(key)}=`)}${shown(value)}`);
  const head = `${paint('dim', harmless(String(time).slice(11, 19)))} ${paint(style, harmless(label).toUpperCase().padEnd(5))} ${shownMessage(message)}`;
  return `${[head, ...rest].join(' ')}\n${stacks(fields)}`;
}

function shownMessage(message: unknown): string {
  return typeof message === 'string' ? harmless(message) : '';
}

function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { stream: process.stderr });
}

const MANY = 8;

function shown(value: unknown): string {
  if (isError(value)) return harmless(value.message);
  // A list that fills the screen: how many, the first and the last. JSON lines have all.
  if (Array.isArray(value) && value.length > MANY) return shown(`${value.length}: ${value[0]} … ${value.at(-1)}`);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? harmless(text) : harmlessJsonLine(JSON.stringify(text));
}

function stacks(fields: Record<string, unknown>): string {
  return Object.values(fields)
    .filter(isError)
    .map(
      (error) =>
        `${harmlessLines(error.stack)
          .map((line) => `    ${line}`)
          .join('\n')}\n`,
    )
    .join('');
}

function isError(value: unknown): value is { message: string; stack: string } {
  return value !== null && typeof value === 'object' && 'stack' in value && typeof value.stack === 'string';
}

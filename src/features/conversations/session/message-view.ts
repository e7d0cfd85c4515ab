/** Prints messages of a conversation: those of before, and those that somebody else writes. */

import { harmlessLines } from '../../../core/text/harmless.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import { bytes, counted } from '../../../terminal/view/quantities.ts';
import type { ConversationMessage } from '../store/message.ts';

/** What is printed of a conversation that is resumed. */
const MESSAGES = 10;
const LINES_OF_MESSAGE = 30;

export interface MessageViewOptions {
  /** All messages, and not cut. */
  readonly whole?: boolean;
  /** The person at this terminal: their messages are those of `you`, as when they were said. */
  readonly actor?: string;
}

/** The newest messages, each cut. */
export function showHistory(
  output: Output,
  messages: readonly ConversationMessage[],
  options: MessageViewOptions,
): void {
  const { whole = false } = options;
  const shown = whole ? messages : messages.slice(-MESSAGES);
  const left = messages.length - shown.length;
  if (left > 0) output.line(styled(`… ${counted(left, 'earlier message')}: /history all`, 'dim'));
  for (const message of shown) showMessage(output, message, options);
}

/** A heading with its number, and its words. */
export function showMessage(
  output: Output,
  message: ConversationMessage,
  { whole = false, actor }: MessageViewOptions,
): void {
  output.line();
  output.line(styled(headingOf(message, actor), 'dim'));
  const lines = harmlessLines(message.content.trimEnd());
  const kept = whole ? lines : lines.slice(0, LINES_OF_MESSAGE);
  output.block(kept.join('\n'));
  if (kept.length < lines.length)
    output.line(styled(`… ${counted(lines.length - kept.length, 'more line')}: /history all`, 'dim'));
}

/** What was said here. */
export function showSaid(output: Output, heading: string, text: string): void {
  output.line();
  output.line(styled(`${heading} · you`, 'dim'));
  output.block(text, '> ');
}

/** `7 · alice · told · in place of 2 · notes.txt, 12 kB`. */
function headingOf(message: ConversationMessage, actor: string | undefined): string {
  const { number, author, told, replaces_number: replacesNumber, role, ended_as: endedAs, attachments } = message;
  const parts = [
    String(number),
    role === 'user' && author === actor ? 'you' : author.replace(/^faculty:/, ''),
    ...(told ? ['told'] : []),
    ...(replacesNumber !== null && role === 'user' ? [`in place of ${replacesNumber}`] : []),
    ...(endedAs !== null && endedAs !== 'completed' ? [endedAs] : []),
    ...(attachments ?? []).map((file) => `${file.name}, ${bytes(file.bytes)}`),
  ];
  return parts.join(' · ');
}

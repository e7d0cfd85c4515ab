/** Why work waits, as people read it. The words come from the database; here are only times and the commands that help. */
import type { Waiting } from '../../core/work/waiting.ts';
import { shellWord } from './copied-command.ts';
import { age, shortId } from './quantities.ts';

/** `writer is paused by olga`, with since when: what is so. */
export function waitingText({ why, since, until }: Pick<Waiting<Date | string>, 'why' | 'since' | 'until'>): string {
  const now = Date.now();
  const by = until === null ? '' : `, ${age(until, now)} at the latest`;
  return `${why} (since ${age(since, now)}${by})`;
}

/** The command of animus that ends it, or shows what could; null: only time helps. */
export function waitingCommand(
  { reason }: Pick<Waiting, 'reason'>,
  { id, faculty }: { readonly id: string; readonly faculty: string },
): string | null {
  return COMMANDS[reason]?.replace('ID', shortId(id)).replace('FACULTY', () => shellWord(faculty)) ?? null;
}

const COMMANDS: Readonly<Record<Waiting['reason'], string | null>> = {
  all_paused: 'resume',
  paused: 'resume FACULTY',
  no_daemon: 'serve',
  unserved: 'status',
  provider: 'status',
  capacity: 'status',
  faulty: 'status',
  alone: 'status',
  host: 'status',
  next: 'status',
  approval: 'inbox ID',
  question: 'inbox ID',
  budget: 'inbox ID',
  message: 'work show ID',
  key: 'work show ID',
  children: 'work show ID',
  retry: 'work show ID',
  released: 'work show ID',
  not_before: null,
  batch: null,
  timer: null,
};

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
  switch (reason) {
    case 'all_paused':
      return 'resume';
    case 'paused':
      return `resume ${shellWord(faculty)}`;
    case 'no_daemon':
      return 'serve';
    case 'unserved':
    case 'provider':
    case 'capacity':
    case 'faulty':
    case 'alone':
    case 'host':
    case 'next':
      return 'status';
    case 'approval':
    case 'question':
    case 'budget':
      return `inbox ${shortId(id)}`;
    case 'message':
    case 'key':
    case 'children':
    case 'retry':
    case 'released':
      return `work show ${shortId(id)}`;
    case 'not_before':
    case 'batch':
    case 'timer':
      return null;
    default:
      return reason satisfies never;
  }
}

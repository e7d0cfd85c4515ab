/** Says why an item does not go on, while a command follows it: each answer once, when it has stood for a while. */
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Waiting } from '../../core/work/waiting.ts';
import type { Output } from '../view/output.ts';
import { waitingCommand } from '../view/waiting-text.ts';

/** A wait that is over by then needs no note. */
const AFTER_MS = 2000;

interface Followed {
  readonly id: string;
  readonly faculty: string;
  readonly waiting: Waiting | null;
}

/** Returns what to call at each look. */
export function waitingNews(output: Output): (item: Followed) => void {
  const said = new Set<string>();
  let news: { readonly why: string; readonly atMs: number } | null = null;
  return (item) => {
    const why = item.waiting?.why ?? null;
    if (item.waiting === null || why === null || said.has(why)) return void (news = null);
    if (news?.why !== why) news = { why, atMs: systemClock.monotonicMs() + AFTER_MS };
    if (systemClock.monotonicMs() < news.atMs) return;
    said.add(why);
    const command = waitingCommand(item.waiting, item);
    output.note(
      `it waits: ${why}, until ${item.waiting.ends}${command === null ? '' : `; see: ${output.called} ${command}`}`,
    );
  };
}

/** The messages to an item as `animus work show` prints them. */
import { isTerminal } from '../../../core/work/work.ts';
import type { WorkItem } from '../../../operations/work-rows.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { age, shortId } from '../../../terminal/view/quantities.ts';
import { heading } from '../../../terminal/view/show-outcome.ts';
import type { Mail } from './mail.ts';

/** Prints who said what, and whether the model has got it. */
export function showMail(output: Output, item: Pick<WorkItem, 'state'>, mail: readonly Mail[]): void {
  if (mail.length === 0) return;
  heading(output, 'Messages');
  for (const message of mail) {
    const { author_is: authorIs, duplicate_id: duplicate } = message;
    const who = duplicate === null ? authorIs : `${authorIs} ${shortId(duplicate)}`;
    const since = age(message.created_at, Date.now());
    output.line('  ', styled(message.author, 'bold'), styled(`  ${who}, ${since}  `, 'dim'), deliveryOf(message, item));
    output.block(message.text, '    ');
  }
}

function deliveryOf(
  { delivered_at: at, focus, turn, not_delivered: why }: Mail,
  { state }: Pick<WorkItem, 'state'>,
): Part {
  if (at !== null)
    return styled(`delivered with turn ${turn ?? '?'}${focus === 1 ? '' : ` of focus ${focus ?? '?'}`}`, 'green');
  if (!isTerminal(state)) {
    return styled(state === 'waiting' ? 'waits until the work wakes' : 'waits for the next turn', 'yellow');
  }
  return styled(`not delivered: ${why ?? WHY[state as keyof typeof WHY]}`, 'red');
}

const WHY = {
  completed: 'the work ended before it came',
  cancelled: 'the work was cancelled before its next turn; a retry delivers it',
  dead: 'the work is dead; a retry delivers it',
  merged: 'the work was merged',
} as const;

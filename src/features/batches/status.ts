/** The part of `animus status` about turns in batches. */
import { type Output, styled } from '../../terminal/view/output.ts';
import { age, counted } from '../../terminal/view/quantities.ts';
import type { BatchStatus } from './feature.ts';

interface Shown {
  readonly at: string;
  readonly batches: readonly BatchStatus[];
}

/** One line per provider with turns under way, and its problem. */
export function showBatches(output: Output, { batches, at }: Shown): void {
  for (const { provider, outbox, requests, batches: count, unclear, oldest_at: oldest, problem } of batches) {
    const parts = [
      ...(count > 0 ? [`${counted(requests, 'turn')} in ${counted(count, 'batch', 'batches')} at ${provider}`] : []),
      ...(outbox > 0 ? [`${counted(outbox, 'turn')} not sent yet to ${provider}`] : []),
      ...(unclear > 0 ? [`${counted(unclear, 'batch', 'batches')} that may or may not have been submitted`] : []),
      ...(oldest === null ? [] : [`the oldest from ${age(oldest, Date.parse(at))}`]),
    ];
    output.line(styled('Batches   ', 'bold'), parts.join(', '));
    if (problem !== null) output.line(styled('problem  ', 'red'), problem);
  }
}

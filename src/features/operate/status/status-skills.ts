/** The part of `animus status` about skills that no focus uses any more. */
import { type Output, styled } from '../../../terminal/view/output.ts';
import { counted } from '../../../terminal/view/quantities.ts';
import type { Status } from './status.ts';

/** A line if there are any. */
export function showStaleSkills(output: Output, { stale_skills: stale }: Pick<Status, 'stale_skills'>): void {
  const { count, days } = stale ?? { count: 0, days: 0 };
  if (count === 0) return;
  output.line();
  output.line(
    styled('Skills    ', 'bold'),
    `${counted(count, 'skill')} not used for ${days} days: animus skill list --stale`,
  );
}

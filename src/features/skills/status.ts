/** The part of `animus status` about skills that no focus uses any longer. */
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';

interface Stale {
  readonly stale_skills: { readonly count: number; readonly days: number };
}

/** A line if there are any. */
export function showStaleSkills(output: Output, { stale_skills: { count, days } }: Stale): void {
  if (count === 0) return;
  output.line();
  output.line(
    styled('Skills    ', 'bold'),
    `${counted(count, 'skill')} not used for ${days} days: animus skill list --stale`,
  );
}

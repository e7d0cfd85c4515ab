/** The state of a work item: a word and a mark, whose shape tells it apart without colour. */
import type { WorkState } from '../../client/client.ts';
import { S } from '../words/strings.ts';

const MARKS: Readonly<Record<WorkState, string>> = {
  scheduled: '◷',
  queued: '○',
  claimed: '◔',
  running: '●',
  waiting: '◐',
  completed: '✓',
  dead: '✕',
  merged: '⤳',
  cancelled: '⊘',
};

export function State({ of }: { readonly of: WorkState }) {
  return (
    <span class={`state state-${of}`}>
      <span aria-hidden="true">{MARKS[of]}</span> {S.state[of]}
    </span>
  );
}

/** `animus skill history`: every version of a skill that work has written. */
import type { SkillVersion } from '../../store/skills/skill-versions.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import type { Part } from '../../terminal/view/part.ts';
import { age, shortId } from '../../terminal/view/quantities.ts';
import { versionsOf } from './written-versions.ts';

/** Lists them, the newest first. */
export async function historyCommand(invocation: Invocation, _options: CommonOptions, name: string): Promise<number> {
  const { output } = invocation;
  const versions = await withDatabase(invocation, (db) => versionsOf(db, name));
  output.document({ skill: name, versions: versions.map(versionLine) });
  const now = Date.now();
  output.table(
    [
      { title: 'VERSION', align: 'right' },
      { title: 'STATE' },
      { title: 'WRITTEN' },
      { title: 'BY' },
      { title: 'DECIDED BY', optional: true },
      { title: 'WHY', shrink: true },
    ],
    versions.map((each) => [
      String(each.version),
      stateOf(each),
      age(each.createdAt, now),
      each.workItemId === null ? 'a person' : `${shortId(each.workItemId)} ${each.faculty ?? ''}`,
      each.decidedBy ?? '',
      each.decisionNote || each.note,
    ]),
  );
  return 0;
}

function stateOf({ state }: SkillVersion): Part {
  return styled(state, state === 'current' ? 'green' : state === 'proposed' ? 'yellow' : 'plain');
}

/** A version for programs. */
export function versionLine(each: SkillVersion) {
  return {
    version: each.version,
    state: each.state,
    base: each.base,
    content_hash: each.hash,
    description: each.description,
    note: each.note,
    work_item_id: each.workItemId,
    faculty: each.faculty,
    focus_id: each.focusId,
    submitted_by: each.submittedBy,
    created_at: each.createdAt,
    decided_by: each.decidedBy,
    decided_at: each.decidedAt,
    decision_note: each.decisionNote,
    current_from: each.currentFrom,
    current_until: each.currentUntil,
  };
}

/** `animus skill stats`: how skills were used, and what became of the work. */
import { type OutcomeCounts, type SkillUse, skillStats } from '../../store/skills/skill-stats.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, cost, grouped } from '../../terminal/view/quantities.ts';

export interface StatsOptions extends CommonOptions {
  readonly since?: Date;
}

/** 30 days. */
const DEFAULT_MS = 30 * 86_400_000;

/** Shows ended work with each skill beside other work of the same faculties. */
export async function statsCommand(
  invocation: Invocation,
  { since = new Date(Date.now() - DEFAULT_MS) }: StatsOptions,
  name: string | undefined,
): Promise<number> {
  const { output } = invocation;
  const skills = await withDatabase(invocation, (db) => skillStats(db, since, name ?? null));
  output.document({ since, skills: skills.map(useLine) });
  if (skills.length === 0) {
    output.note(name === undefined ? 'no skill was used in this time' : `skill ${name} was not used in this time`);
    return 0;
  }
  const now = Date.now();
  output.table(
    [
      { title: 'SKILL', shrink: true },
      { title: 'USED', align: 'right' },
      { title: 'LAST', optional: true },
      { title: 'ITEMS', align: 'right' },
      { title: 'COMPLETED', align: 'right' },
      { title: 'COST EACH', align: 'right' },
      { title: 'WITHOUT', align: 'right' },
      { title: 'COMPLETED', align: 'right' },
      { title: 'COST EACH', align: 'right' },
    ],
    skills.map(({ skill, activations, lastUsedAt, withIt, without }) => [
      styled(skill, 'bold'),
      grouped(activations),
      lastUsedAt === null ? '' : age(lastUsedAt, now),
      ...cells(withIt),
      ...cells(without),
    ]),
  );
  return 0;
}

function cells({ items, completed, costUsd, unpricedCalls }: OutcomeCounts): string[] {
  if (items === 0) return ['0', '', ''];
  return [
    grouped(items),
    `${Math.round((100 * completed) / items)} %`,
    cost(costUsd === null ? null : costUsd / items, unpricedCalls),
  ];
}

function useLine({ skill, activations, lastUsedAt, withIt, without }: SkillUse) {
  return { skill, activations, last_used_at: lastUsedAt, with: outcomeLine(withIt), without: outcomeLine(without) };
}

/** Null where there is nothing to divide by. */
function outcomeLine({ items, completed, costUsd, unpricedCalls, turns }: OutcomeCounts) {
  const share = items === 0 ? null : completed / items;
  return { items, completed, completed_share: share, cost_usd: costUsd, unpriced_calls: unpricedCalls, turns };
}

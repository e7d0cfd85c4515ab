/** What a check of one skill found, before it is decided what follows from it. */
import { join } from 'node:path';
import { type SkillProblem, skillProblem } from './skill.ts';

/** One finding in a file of a skill. */
export interface Finding {
  /**
   * `broken`: the skill cannot be used. `foreign`: the format forbids it, but what is meant is clear; an error in a strict check, otherwise
   * a warning. `own`: an error in a strict check, otherwise no problem. `advice`: always a warning.
   */
  readonly rank: 'broken' | 'foreign' | 'own' | 'advice';
  /** Relative to the skill's directory; empty for the directory itself. */
  readonly path: string;
  readonly line: number | null;
  readonly what: string;
}

/** Whether a skill is checked as one that others wrote or as one of ours. */
export type Strictness = 'lenient' | 'strict';

/** The problems that follow from these findings. */
export function problemsOf(
  findings: readonly Finding[],
  { directory, skill, strictness }: { directory: string; skill: string | null; strictness: Strictness },
): SkillProblem[] {
  return findings.flatMap(({ rank, path, line, what }) => {
    const level = levelOf(rank, strictness);
    return level === null ? [] : [skillProblem({ level, skill, file: join(directory, path), line, what })];
  });
}

function levelOf(rank: Finding['rank'], strictness: Strictness): SkillProblem['level'] | null {
  if (rank === 'broken') return 'error';
  if (rank === 'advice') return 'warning';
  if (strictness === 'strict') return 'error';
  return rank === 'foreign' ? 'warning' : null;
}

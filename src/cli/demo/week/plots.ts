/** Plots of the kinds of work that the team does. */
import { fix, question, review } from './code-plots.ts';
import { research, support, writing } from './desk-plots.ts';
import type { Random } from './random.ts';
import { chore } from './server-plots.ts';
import type { Plot } from './stories.ts';

const PLOTS = { fix, review, support, research, writing, chore, question } as const;
export type PlotKind = keyof typeof PLOTS;

export function plotOf(kind: PlotKind, random: Random): Plot {
  return PLOTS[kind](random);
}

/** How results are shown. */
import { styleText } from 'node:util';
import { keyOf, type Mutant, type MutantKey } from './mutant.ts';
import type { Result, Verdict } from './verdict.ts';

const SHOWN = 160;

/** One line, and for a survivor what was changed. */
export function lineOf({ mutant, result }: Result): string {
  const { file, line, operator } = mutant;
  const head = `${result.verdict.padEnd(10)} ${file}:${line} ${operator}${aboutOf(result)}\n`;
  return result.verdict === 'survived' || result.verdict === 'timed out' ? head + diffOf(mutant) : head;
}

function aboutOf(result: Verdict): string {
  if (result.verdict === 'killed') return `, by ${result.by}`;
  if (result.verdict === 'survived') return `, ${result.tests} test files`;
  if (result.verdict === 'timed out') return `, ${result.tests.join(' ')}`;
  return `: ${short(result.why)}`;
}

export function diffOf({ text, replacement, in: line }: Mutant): string {
  return `           in ${short(line)}\n         - ${short(text)}\n         + ${short(replacement)}\n`;
}

function short(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').trim();
  return oneLine.length > SHOWN ? `${oneLine.slice(0, SHOWN)}…` : oneLine;
}

/** The table at the end. The score counts only those that tests have judged. */
export function tableOf(results: readonly Result[], command: string): string {
  const verdicts = ['killed', 'timed out', 'survived', 'equivalent', 'unjudged', 'invalid'] as const;
  const counts = verdicts.map((verdict) => results.filter(({ result }) => result.verdict === verdict).length);
  const [killed = 0, timedOut = 0, survived = 0] = counts;
  const judged = killed + timedOut + survived;
  const score =
    judged === 0 ? '' : `\n${(((killed + timedOut) / judged) * 100).toFixed(1)} % of ${judged} mutants are noticed.`;
  const left = results.filter(({ result }) => result.verdict === 'survived').map(({ mutant }) => mutant);
  const survivors = left
    .map((mutant) => `${mutant.file}:${mutant.line} ${mutant.operator}\n${diffOf(mutant)}`)
    .join('');
  const rows = verdicts.map((verdict, index) => `| ${verdict} | ${counts[index]} |\n`).join('');
  const title = left.length > 0 ? styleText('bold', `\nSurvivors (${left.length}):\n`) : '';
  return `${title}${survivors}\n${command}\n\n| mutants | ${results.length} |\n| --- | --- |\n${rows}${score}\n`;
}

/** For `--json` and `--again`: a line per mutant. */
export function jsonLineOf({ mutant, result }: Result): string {
  const { file, line, operator, in: inLine, text, replacement } = mutant;
  return `${JSON.stringify({ file, line, operator, in: inLine, text, replacement, ...result })}\n`;
}

/** The mutants of such lines, each once. */
export function keysIn(lines: string): MutantKey[] {
  const keys = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as MutantKey);
  return [...new Map(keys.map((key) => [keyOf(key), key])).values()];
}

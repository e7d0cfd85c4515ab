/** What differs between two texts, line by line. */
import type { Hunk, PatchFile, PatchLine } from './patch.ts';

const CONTEXT_LINES = 3;
/** Cells of the table of what is common: beyond it, everything between the first and the last difference counts as replaced. */
const MOST_CELLS = 4_000_000;

/** The change from one text to the other as one file of a patch; null: it did not exist before, or does not afterwards. */
export function compareTexts(path: string, before: string | null, after: string | null): PatchFile {
  const lines = compareLines(linesOf(before), linesOf(after));
  const count = (is: PatchLine['is']) => lines.filter((line) => line.is === is).length;
  const is = before === null ? 'added' : after === null ? 'removed' : 'changed';
  return {
    path,
    from: null,
    is,
    binary: false,
    added: count('added'),
    removed: count('removed'),
    hunks: hunksOf(lines),
  };
}

function linesOf(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

export function compareLines(before: readonly string[], after: readonly string[]): readonly PatchLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const steps = stepsBetween(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  let [old, now] = [0, 0];
  return ['='.repeat(head), steps, '='.repeat(tail)]
    .join('')
    .split('')
    .map((step): PatchLine => {
      if (step === '-') return { is: 'removed', before: ++old, after: null, text: before[old - 1]! };
      if (step === '+') return { is: 'added', before: null, after: ++now, text: after[now - 1]! };
      return { is: 'same', before: ++old, after: ++now, text: after[now - 1]! };
    });
}

/** `=`, `-` and `+`, line by line: as few changes as possible (the longest common subsequence). */
function stepsBetween(before: readonly string[], after: readonly string[]): string {
  const width = after.length + 1;
  if (before.length * after.length > MOST_CELLS) return '-'.repeat(before.length) + '+'.repeat(after.length);
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const [down, right] = [common[(i + 1) * width + j]!, common[i * width + j + 1]!];
      common[i * width + j] = before[i] === after[j] ? common[(i + 1) * width + j + 1]! + 1 : Math.max(down, right);
    }
  }
  let steps = '';
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      steps += '=';
      i++;
      j++;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) {
      steps += '-';
      i++;
    } else {
      steps += '+';
      j++;
    }
  }
  return steps + '-'.repeat(before.length - i) + '+'.repeat(after.length - j);
}

/** The changes with some lines around them; what is between is left out. */
function hunksOf(lines: readonly PatchLine[]): readonly Hunk[] {
  const hunks: { readonly place: string; readonly lines: PatchLine[] }[] = [];
  let shownTo = 0;
  for (const [index, line] of lines.entries()) {
    if (line.is === 'same') continue;
    const from = Math.max(shownTo, index - CONTEXT_LINES);
    if (from > shownTo || hunks.length === 0) hunks.push({ place: '', lines: [] });
    const to = Math.min(lines.length, index + 1 + CONTEXT_LINES);
    hunks.at(-1)?.lines.push(...lines.slice(from, to));
    shownTo = Math.max(shownTo, to);
  }
  return hunks;
}

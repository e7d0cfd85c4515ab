/** Which constants are changed, in either language. */

export const MUTANT_WORD = 'mutant';

/** Above it, numbers are measures (times, sizes), and one more makes no difference that a test should notice. */
const LARGEST = 64;

/** Another number, or null. */
export function changedNumber(value: number): string | null {
  if (!Number.isInteger(value) || value > LARGEST) return null;
  return value === 1 ? '0' : String(value + 1);
}

/** A word that programs compare, and not a text that people read. */
export function isWord(text: string): boolean {
  return /^[a-z][\w.:-]*$/i.test(text) && text !== MUTANT_WORD;
}

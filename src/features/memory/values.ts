/** Values of options of `animus memory`. */
import { InvalidArgumentError } from 'commander';
import { usageError } from '../../core/errors/errors.ts';
import { FULL_ID } from '../../core/work/id-reference.ts';

/** A list of words with commas between them. */
export function words(value: string): readonly string[] {
  const given = value.split(',').map((word) => word.trim());
  if (given.every((word) => word !== '')) return given;
  throw new InvalidArgumentError('Expected a list of words with commas between them.');
}

/** A number of days, also a part of one. */
export function days(value: string): number {
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (number >= 0.01 && number <= 36_500) return number;
  throw new InvalidArgumentError('Expected a number of days from 0.01 to 36500.');
}

/** Whole ids of memories, each once, as they are kept. Errors: `usage.invalid`. */
export function memoryIds(given: readonly string[]): readonly string[] {
  const ids = new Set(given.map((id) => id.toLowerCase()));
  for (const id of ids) {
    if (FULL_ID.test(id)) continue;
    throw usageError(`${JSON.stringify(id)} is not the id of a memory; find it with: animus memory search`);
  }
  return [...ids];
}

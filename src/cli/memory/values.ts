/** Values of options of `animus memory`. */
import { InvalidArgumentError } from 'commander';

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

/** A JSON object. */
export function jsonObject(value: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw new InvalidArgumentError('Expected a JSON object, such as {"source": "wiki"}.');
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Record<string, unknown>;
  throw new InvalidArgumentError('Expected a JSON object, such as {"source": "wiki"}.');
}

import { harmlessJson, isDangerous } from '../../core/text/harmless.ts';

/** The name of a file in a list of one per line: it may hold line breaks and other control characters, which would forge entries. */
export function printableName(name: string): string {
  return isDangerous(name) ? harmlessJson(name) : name;
}

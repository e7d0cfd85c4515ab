import { harmlessJson, isDangerous } from '../../core/text/harmless.ts';

/** Escapes a file name for a list with one name per line: line breaks and control characters could forge entries. */
export function printableName(name: string): string {
  return isDangerous(name) ? harmlessJson(name) : name;
}

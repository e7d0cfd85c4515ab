import { z } from 'zod';

/** A field of an input: a text that is not blank, with a maximum number of characters, not counting the white space around it. */
export function someText(most: number) {
  return z.string().trim().min(1).max(most);
}

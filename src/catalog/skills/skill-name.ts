/** Names of skills. */

/** What the format allows: 1 to 64 of a-z and 0-9, single hyphens inside. */
const STRICT = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** The same with letters and digits of every script that are not upper case. */
const LENIENT = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{Nd}]+(?:-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{Nd}]+)*$/u;
const MOST_CHARACTERS = 64;

/** In words, for messages. */
export const SKILL_NAME_RULE = '1 to 64 lower-case letters and digits, with single hyphens between them';

/** True for a name that every reader of the format accepts. */
export function isSkillName(name: string): boolean {
  return name.length <= MOST_CHARACTERS && STRICT.test(name);
}

/** True for a name that is safe as a name and as a folder, though strict readers may refuse it: letters of any script, in form NFKC. */
export function isUsableSkillName(name: string): boolean {
  return Array.from(name).length <= MOST_CHARACTERS && LENIENT.test(name) && name === name.normalize('NFKC');
}

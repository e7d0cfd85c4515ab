/** Paths of files in a skill. */
import { unprintable } from './skill-fields.ts';
import { SKILL_LIMITS } from './skill-limits.ts';

/** How the names of folders begin that are being written, or were moved aside. No scan takes them for skills. */
export const TEMPORARY = '.animus-skill-';

/** Names that are not part of a skill: hidden files, and what tools leave behind. */
export function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || name === '__pycache__';
}

/** What is wrong with the name of a file or folder, as the end of a sentence; null if every system can have it. */
export function wrongFileName(name: string): string | null {
  if (name.includes('\uFFFD')) return 'is not UTF-8';
  if (/[\n\t\u2028\u2029]/.test(name)) return 'contains a line end or a tab';
  const control = unprintable(name);
  if (control !== null) return `contains the control character ${control}`;
  return name.includes('\\') ? 'contains a backslash' : null;
}

/**
 * What is wrong with the path of a file in a skill, as the end of a sentence; null for a relative path with `/` between its parts that stays inside the
 * skill, of at most `SKILL_LIMITS.pathCharacters`, and without hidden parts. For paths that a model or an archive names.
 */
export function wrongSkillPath(path: string, limits = SKILL_LIMITS): string | null {
  const parts = path.split('/');
  if (path === '' || path.startsWith('/')) return 'is not relative to the skill';
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'contains an empty part, . or ..';
  if (parts.some(isLeftOut))
    return 'contains a hidden name, node_modules or __pycache__, which are not part of a skill';
  if (Array.from(path).length > limits.pathCharacters) return `has more than ${limits.pathCharacters} characters`;
  if (parts.length > limits.depth + 1) return `is nested deeper than ${limits.depth} folders`;
  if (path !== path.normalize('NFC')) return 'is not in Unicode form NFC';
  return wrongFileName(path);
}

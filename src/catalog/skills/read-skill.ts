/** Reads one skill from its directory. */
import { basename } from 'node:path';
import { fileFault } from '../../core/errors/errors.ts';
import type { Finding } from './finding.ts';
import { type ListedFile, listSkillFiles, type SkillListing } from './list-skill-files.ts';
import { type ParsedSkill, parseSkill } from './parse-skill.ts';
import { readListedFiles, UnreadableFile } from './read-listed-files.ts';
import type { SkillLimits } from './skill-limits.ts';

/** What was read, and by which it is known whether it has to be read again. */
export interface ReadSkill extends ParsedSkill {
  /** Of all files; changes whenever one of them does. */
  readonly stamp: string;
  /** False: a file was changed so recently that a further change may leave the stamp as it is. */
  readonly settled: boolean;
}

/** The clock of a file system may stand still this long. */
const SETTLES_MS = 2000;

/** How often a skill is read again that changes meanwhile. */
const MOST_READS = 3;

/**
 * Reads the skill in a directory. `before` is what was read there last: it is returned if no file has changed. Never throws because of the
 * files: `skill` is null if it cannot be used.
 */
export function readSkill(
  directory: string,
  limits: SkillLimits,
  before: ReadSkill | undefined,
  nowMs: number,
): ReadSkill {
  try {
    let listing = listSkillFiles(directory, limits);
    if (before?.settled === true && before.stamp === stampOf(listing)) return before;
    for (let read = 1; ; read++) {
      const { parsed, stamp } = readListed(directory, listing, limits);
      const after = listSkillFiles(directory, limits);
      if (stampOf(after) === stamp) return { ...parsed, stamp, settled: isSettled(listing.files, nowMs) };
      if (read === MOST_READS) return unread('was changed each time it was read; it will be read again');
      listing = after;
    }
  } catch (error) {
    return unread(`cannot be read: ${fileFault(error)}`);
  }
}

function readListed(directory: string, listing: SkillListing, limits: SkillLimits) {
  const stamp = stampOf(listing);
  const listed = listing.findings;
  // Without SKILL.md, the listing has said all.
  if (listed.length > 0 && !listing.files.some(({ path }) => path === 'SKILL.md')) {
    return { parsed: { skill: null, findings: listed }, stamp };
  }
  try {
    const contents = readListedFiles(listing.files, limits);
    const parsed = parseSkill(contents, { directory, directoryName: basename(directory) }, limits);
    if (listed.length === 0) return { parsed, stamp };
    const further = parsed.findings.filter(({ path }) => !listed.some((each) => each.path === path));
    return { parsed: { skill: null, findings: [...listed, ...further] }, stamp };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const finding: Finding = { rank: 'broken', path: error.path, line: null, what: error.message };
    return { parsed: { skill: null, findings: [...listed, finding] }, stamp };
  }
}

function stampOf({ files, findings }: SkillListing): string {
  return [...files.map(({ stamp }) => stamp), ...findings.map(({ path, what }) => `${path} ${what}`)].join('\n');
}

function isSettled(files: readonly ListedFile[], nowMs: number): boolean {
  return files.every(({ changedMs }) => changedMs < nowMs - SETTLES_MS);
}

/** Read again at the next time, whatever happens. */
function unread(what: string): ReadSkill {
  return { skill: null, findings: [{ rank: 'broken', path: '', line: null, what }], stamp: '', settled: false };
}

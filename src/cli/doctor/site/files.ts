/** Checks the disk: free space, and who may read animus's own files. */
import { statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../../../core/config/config.ts';
import { messageOf } from '../../../core/errors/errors.ts';
import { type Finding, fine, note, problem } from '../../../terminal/view/finding.ts';
import { bytes } from '../../../terminal/view/quantities.ts';

const LITTLE_BYTES = 1_000_000_000;
/** A WAL segment, a turn's outputs and a copy of a file or two: below this the next write may be the one that fails. */
const TOO_LITTLE_BYTES = 100_000_000;

/** Room where animus writes: its home, and the directory of temporary files. */
export function examineDisk(config: Config): readonly Finding[] {
  return [
    roomIn('disk', config.home, 'free some space, or set ANIMUS_HOME'),
    roomIn('disk for temporary files', tmpdir(), 'free some space, or set TMPDIR'),
  ];
}

function roomIn(check: string, directory: string, remedy: string): Finding {
  const there = nearestExisting(directory);
  try {
    const { bavail, bsize, files, ffree } = statfsSync(there);
    const free = bavail * bsize;
    if (free < TOO_LITTLE_BYTES) return problem(check, `${bytes(free)} free in ${there}`, remedy);
    // Some file systems have no fixed number of files, and report 0 of 0.
    if (files > 0 && ffree < 1000) return problem(check, `room for ${ffree} more files in ${there}`, remedy);
    if (free < LITTLE_BYTES) return note(check, `${bytes(free)} free in ${there}`, remedy);
    return fine(check, `${bytes(free)} free in ${there}`);
  } catch (error) {
    return problem(check, `${there}: ${messageOf(error)}`, remedy);
  }
}

function nearestExisting(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/**
 * The home and the password in it are for this user alone. Files of secrets that others may read are refused where the
 * configuration is read. Windows has no modes.
 */
export function examineModes(config: Config): readonly Finding[] {
  if (process.platform === 'win32') return [];
  const wrong = [
    // For commands that run as other users, a daemon of root makes it passable, but not readable (`letThrough`, `openWay`).
    ...ownProblems(config.home, '700', process.getuid?.() === 0 ? 0o066 : 0o077),
    ...ownProblems(join(config.home, 'db'), '700'),
    ...ownProblems(join(config.home, 'embedded.json'), '600'),
    // Write access to it controls what agents may do. It may belong to root or, in a container, to a user of the host.
    ...(config.file === null ? [] : modeProblems(config.file, 0o002, '644')),
  ];
  return wrong.length > 0 ? wrong : [fine('file modes', `no file in ${config.home} is open to other users`)];
}

function modeProblems(path: string, forbidden: number, wanted: string): Finding[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & forbidden) === 0) return [];
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  const remedy = `run: chmod ${wanted} ${path}`;
  return [problem('file modes', `${path} is open to other users (mode ${mode})`, remedy)];
}

/** Problems of a path that only this user may access. */
function ownProblems(path: string, wanted: string, forbidden = 0o077): Finding[] {
  const open = modeProblems(path, forbidden, wanted);
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  const user = process.getuid?.();
  if (open.length > 0 || owner === undefined || user === undefined || user === 0 || owner === user) return open;
  const detail = `${path} belongs to another user (uid ${owner})`;
  return [problem('file modes', detail, 'run every animus command as the same user')];
}

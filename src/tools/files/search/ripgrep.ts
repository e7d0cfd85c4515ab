/** Uses ripgrep, if the host has it, to find the files that a search has to read. It does not decide what matches. */
import { findProgram } from '../../../process/find-program.ts';
import type { ToolContext } from '../../tool.ts';
import { type Bounds, mountOf } from '../mounts.ts';
import { isRefusal } from '../refusal.ts';
import { resolveInside } from '../workspace.ts';
import { requiredLiteral } from './required-literal.ts';
import { SKIPPED_DIRECTORIES } from './walk.ts';

/** A longer list of names is not worth passing to the thread that searches. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** All files as bytes, without configuration and ignore files; prints names only, each followed by a NUL. */
const OPTIONS =
  '--no-config --no-ignore --hidden --no-messages --text --encoding none --files-with-matches --null --color never'.split(
    ' ',
  );

/**
 * The files below `path`, relative to it, that contain a text which every match needs, or a NUL byte (to detect binary
 * files, too). Null if unknown: no ripgrep, no such text, a single file, or a failure.
 */
export async function filesToSearch(
  { path, pattern, ignoreCase }: { readonly path: string; readonly pattern: string; readonly ignoreCase: boolean },
  limitMs: number,
  context: Pick<ToolContext, 'workspace' | 'fileRules' | 'isolation' | 'processes' | 'workItemId' | 'signal'> &
    Pick<Bounds, 'mounts'>,
): Promise<readonly string[] | null> {
  const searchPath = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  const program = findProgram('rg', searchPath, '/');
  const literal = program === null ? null : requiredLiteral(pattern);
  if (program === null || literal === null) return null;
  const inside = await resolveInside(context, path);
  // The program may not read the files of animus.
  if (isRefusal(inside) || !inside.exists || mountOf(context, inside.real)) return null;
  const escaped = literal.replace(/[\\.+*?()|[\]{}^$#&~-]/g, '\\$&');
  const result = await context.processes.run(
    {
      owner: context.workItemId,
      command: program,
      args: [
        ...OPTIONS,
        ...[...SKIPPED_DIRECTORIES].flatMap((name) => ['--glob', `!${name}/`]),
        '--regexp',
        `\\x00|${ignoreCase ? '(?i:' : '(?:'}${escaped})`,
        '--',
        '.',
      ],
      cwd: inside.real,
      env: { PATH: searchPath },
      timeoutMs: limitMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      // An agent may have put a program of that name where PATH looks.
      isolation: context.isolation,
      fileRules: context.fileRules,
    },
    context.signal,
  );
  // 1: no file. 2: something could not be read, so the list may be incomplete.
  const ran = result.ended === 'exit' && (result.exitCode === 0 || result.exitCode === 1);
  if (!ran || result.stdout.truncated) return null;
  return result.stdout.text.split('\0').flatMap((name) => (name === '' ? [] : [name.replace(/^\.\//, '')]));
}

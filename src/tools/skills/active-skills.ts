/** The files of the skills that are active in a focus, as they were when they were activated. */
import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ifMissing } from '../../core/files/if-missing.ts';
import { LONGEST_PATH } from '../../core/files/longest-path.ts';
import type { SkillScripts } from '../../sandbox/sandbox.ts';
import { activatedSkills } from '../../store/skills/activations.ts';
import { readActiveScripts } from '../../store/skills/focus-skills.ts';
import { type PackageFile, readPackage } from '../../store/skills/packages.ts';
import type { Queryable } from '../../store/sql/database.ts';
import type { FileMount, SkillScope } from '../tool.ts';

/** The folder of the workspace below which skills are. */
const SKILLS = 'skills';
/** Of all scripts together, for an execution of code. */
const MAX_SCRIPT_BYTES = 1024 * 1024;

/** What the tools of a focus need. `directory` is where packages are kept on this host; `maxTokens` is for the messages of skills. */
export function skillScope(
  db: Queryable,
  {
    focusId,
    workspace,
    directory,
    maxTokens,
  }: { focusId: string; workspace: string; directory: string; maxTokens: number },
): SkillScope {
  return {
    maxTokens,
    async mountsFor(paths) {
      const names = new Set(paths.flatMap((path) => skillIn(workspace, path)));
      if (names.size === 0) return [];
      const active = (await activatedSkills(db, focusId)).filter(({ name }) => names.has(name));
      const mounts: FileMount[] = [];
      for (const { name, hash } of active) {
        mounts.push({ at: `${SKILLS}/${name}`, directory: await unpack(db, hash, directory) });
      }
      return mounts;
    },
    scripts: async () => scriptsOf(await readActiveScripts(db, focusId)),
  };
}

/** The name below `skills/` of a path that a model gave, if it leads there. */
function skillIn(workspace: string, path: string): string[] {
  if (path.length > LONGEST_PATH) return [];
  const [folder, name] = relative(workspace, resolve(workspace, path)).split(sep);
  return folder === SKILLS && name !== undefined && name !== '..' ? [name] : [];
}

/** The directory with the files of a package. It is written whole or not at all, and written again where it is missing. */
async function unpack(db: Queryable, hash: string, parent: string): Promise<string> {
  const target = join(parent, hash);
  const now = new Date();
  // Its time says when it was used last (`sweepPackages`).
  if (await utimes(target, now, now).then(() => true, ifMissing(false))) return realpath(target);
  const temporary = join(parent, `.${hash}-${randomUUID()}`);
  try {
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    for (const file of await readPackage(db, hash)) await write(temporary, file);
    await rename(temporary, target).catch(async (error: NodeJS.ErrnoException) => {
      // Another call was faster.
      if (!(await stat(target)).isDirectory()) throw error;
    });
    return await realpath(target);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function write(directory: string, { path, content }: PackageFile): Promise<void> {
  const target = join(directory, path);
  // The table refuses such paths; anyone who writes to it directly must not write anywhere else, too.
  if (!target.startsWith(`${directory}${sep}`)) throw new TypeError(`a file of a skill leads out of it: ${path}`);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await writeFile(target, content, { flag: 'wx', mode: 0o400 });
}

/** Text files, in order, as long as there is room. */
function scriptsOf(
  files: readonly { readonly skill: string; readonly path: string; readonly content: Buffer }[],
): SkillScripts[] {
  let room = MAX_SCRIPT_BYTES;
  const fitting = files.filter(({ content }) => {
    if (content.includes(0) || content.length > room) return false;
    room -= content.length;
    return true;
  });
  return [...Map.groupBy(fitting, ({ skill }) => skill)].map(([name, own]) => ({
    name,
    files: Object.fromEntries(own.map(({ path, content }) => [path, content.toString('utf8')])),
  }));
}

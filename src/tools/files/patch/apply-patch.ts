/** apply_patch: changes several files at once, all or nothing. */
import type { Stats } from 'node:fs';
import { z } from 'zod';
import { type ToolOutput, toolError, worldTool } from '../../tool.ts';
import { inTurns } from '../file-turns.ts';
import { isRefusal } from '../refusal.ts';
import { MAX_FILE_BYTES, readTextFile } from '../text-file.ts';
import { type Bounds, type InsidePath, resolveInside } from '../workspace.ts';
import { applyHunks } from './apply-hunks.ts';
import { type PatchSection, parsePatch } from './patch-text.ts';
import { type FileChange, makeChanges } from './staged-change.ts';

const MAX_FILES = 200;

const input = z.strictObject({
  patch: z.string().min(1).max(MAX_FILE_BYTES).describe('The patch, from *** Begin Patch to *** End Patch'),
});

export const applyPatchTool = worldTool<z.infer<typeof input>>({
  name: 'apply_patch',
  description: `Adds, changes, deletes and moves text files of the workspace: all of the patch or nothing of it. The format:
*** Begin Patch
*** Add File: path/new.txt
+each line of it
*** Update File: path/old.py
*** Move to: path/renamed.py
@@ class Box:
 unchanged line
-removed line
+added line
*** Delete File: path/gone.txt
*** End Patch
Move to, @@ and several hunks are optional. A hunk is found by its unchanged and removed lines, so give about three
unchanged lines around a change, exactly as in the file; where they stand there more than once, name the class or function
around them in an @@ line. *** End of File after a hunk: it ends the file. Line ends and mode of a file are kept.`,
  input,
  risk: 'write',
  idempotent: false,
  async run({ patch }, bounds) {
    if (!patch.isWellFormed()) return toolError('the patch has half of a surrogate pair and is no valid text');
    const parsed = parsePatch(patch);
    if ('problem' in parsed) return toolError(`nothing was changed: ${parsed.problem}`);
    if (parsed.sections.length > MAX_FILES)
      return toolError(`nothing was changed: more than ${MAX_FILES} files in one patch`);
    const places = await locate(bounds, parsed.sections);
    if ('problems' in places) return nothing(places.problems);
    return await inTurns(places.reals, () => apply(bounds, parsed.sections));
  },
});

function nothing(problems: readonly string[]): ToolOutput {
  return toolError(`nothing was changed:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
}

/** Every file the patch touches, by real path; each may be named once. */
async function locate(bounds: Bounds, sections: readonly PatchSection[]) {
  const reals = new Set<string>();
  const problems: string[] = [];
  for (const section of sections) {
    for (const path of pathsOf(section)) {
      const inside = await resolveInside(bounds, path);
      if (isRefusal(inside)) problems.push(inside.refusal);
      else if (path.endsWith('/')) problems.push(`${path}: names a directory; give the name of a file`);
      else if (reals.has(inside.real)) {
        problems.push(
          `${path}: is named twice (again in line ${section.line} of the patch); put all its hunks into one section`,
        );
      } else reals.add(inside.real);
    }
  }
  return problems.length > 0 ? { problems } : { reals };
}

function pathsOf(section: PatchSection): readonly string[] {
  return section.kind === 'update' && section.moveTo !== null ? [section.path, section.moveTo] : [section.path];
}

async function apply(bounds: Bounds, sections: readonly PatchSection[]): Promise<ToolOutput> {
  const plans = await Promise.all(sections.map((section) => plan(bounds, section)));
  const problems = plans.flatMap((each) => ('problem' in each ? [each.problem] : []));
  if (problems.length > 0) return nothing(problems);
  const planned = plans.filter((each) => 'changes' in each);
  const refusal = await makeChanges(
    bounds,
    planned.flatMap(({ changes }) => changes),
  );
  if (refusal?.partly) return toolError(`the patch failed half-way: ${refusal.refusal}`);
  if (refusal) return nothing([refusal.refusal]);
  const done = planned.map(({ summary }) => summary);
  return { content: done.join('\n'), details: { files: done } };
}

type Plan = { readonly changes: readonly FileChange[]; readonly summary: string } | { readonly problem: string };

/** What a section comes to on the files as they are; nothing is written yet. */
async function plan(bounds: Bounds, section: PatchSection): Promise<Plan> {
  const inside = await resolveInside(bounds, section.path);
  if (isRefusal(inside)) return { problem: inside.refusal };
  if (section.kind === 'add') return planAddition(inside, section.lines);
  if (!inside.exists) return { problem: `${inside.shown}: no such file; glob finds files by name` };
  const file = await readTextFile(bounds, section.path);
  if (isRefusal(file)) return { problem: file.refusal };
  if (section.kind === 'delete') {
    return { changes: [{ path: inside, content: null, read: file.stats }], summary: `deleted ${file.shown}` };
  }
  if (!file.validUtf8)
    return {
      problem: `${file.shown}: is not valid UTF-8, so saving it would damage it; convert it first (bash: iconv -f LATIN1 -t UTF-8, say), or change it with bash`,
    };
  const changed = applyHunks(file.text, section.hunks);
  if ('problem' in changed) return { problem: `${file.shown}, ${changed.problem}` };
  if (Buffer.byteLength(changed.text) > MAX_FILE_BYTES)
    return { problem: `${file.shown}: would become larger than ${MAX_FILE_BYTES} bytes` };
  const count = section.hunks.length;
  const hunks = count === 0 ? '' : ` (${count} ${count === 1 ? 'hunk' : 'hunks'})`;
  if (section.moveTo === null) {
    return {
      changes: [{ path: inside, content: changed.text, read: file.stats }],
      summary: `changed ${file.shown}${hunks}`,
    };
  }
  return await planMove(bounds, inside, section.moveTo, changed.text, file.stats, hunks);
}

function planAddition(inside: InsidePath, lines: readonly string[]): Plan {
  if (inside.exists) return { problem: `${inside.shown}: is there already; use «*** Update File»` };
  const content = lines.map((line) => `${line}\n`).join('');
  const count = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`;
  return { changes: [{ path: inside, content, read: null }], summary: `added ${inside.shown} (${count})` };
}

async function planMove(
  bounds: Bounds,
  from: InsidePath,
  moveTo: string,
  content: string,
  stats: Stats,
  hunks: string,
): Promise<Plan> {
  const to = await resolveInside(bounds, moveTo);
  if (isRefusal(to)) return { problem: to.refusal };
  if (to.exists) return { problem: `${to.shown}: is there already, so ${from.shown} cannot be moved there` };
  const changes = [
    { path: to, content, read: null, like: stats },
    { path: from, content: null, read: stats },
  ];
  return { changes, summary: `moved ${from.shown} to ${to.shown}${hunks}` };
}

/** apply_patch: changes several files at once, all or nothing. */
import { z } from 'zod';
import { type Boundary, type ToolContext, type ToolOutput, toolError, worldTool } from '../../tool.ts';
import { type FileChange, makeChanges } from '../change-files.ts';
import { computeText } from '../compute-text.ts';
import { refuseDatabaseFile } from '../database-files.ts';
import { inTurns } from '../file-turns.ts';
import { type Bounds, withMounts } from '../mounts.ts';
import { isRefusal, refuse, refusedCall } from '../refusal.ts';
import { hashOf, noteSeen, type SeenDetails } from '../seen-files.ts';
import { MAX_FILE_BYTES, NOT_UTF8, readTextFile, type TextFile } from '../text-file.ts';
import { type InsidePath, resolveInside } from '../workspace.ts';
import type { SectionOutline, SectionPlan } from './plan-patch.ts';

/** The maximum total size of the files that one patch updates: they are in memory at the same time. */
const MAX_BYTES_UPDATED = 32 * 1024 * 1024;

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
  kinds: { path: 'path' },
  comparedValues: ({ patch }) => ({ path: namedPaths(patch) }),
  risk: 'write',
  idempotent: false,
  async run({ patch }, context) {
    if (!patch.isWellFormed()) return toolError('the patch contains half of a surrogate pair and is not valid text');
    const outline = await computeText({ kind: 'outline', patch }, context);
    if (isRefusal(outline)) return toolError(`nothing was changed: ${outline.refusal}`);
    if ('problem' in outline) return toolError(`nothing was changed: ${outline.problem}`);
    for (const path of namedPaths(patch) ?? []) {
      const kept = await refuseDatabaseFile(path, context);
      if (kept) return nothing([kept.refusal], kept.boundary);
    }
    const bounds = await withMounts(context, outline.sections.flatMap(pathsOf));
    const places = await locate(bounds, outline.sections);
    if ('problems' in places) return nothing(places.problems, places.boundary);
    return await inTurns(places.reals, () => apply(bounds, patch, outline.sections));
  },
});

/** All paths that the patch names; null if it names none. Lines that the parser would not read as such are included. */
function namedPaths(patch: string): readonly string[] | null {
  const found = [...patch.matchAll(/^\*\*\* (?:(?:Add|Delete|Update) File|Move to): (.+)$/gm)];
  return found.length === 0 ? null : found.map(([, path = '']) => path.trim());
}

function nothing(problems: readonly string[], boundary?: Boundary): ToolOutput {
  return refusedCall(refuse(`nothing was changed:\n${problems.map((problem) => `- ${problem}`).join('\n')}`, boundary));
}

/** Every file the patch touches, by real path; each may be named once. */
async function locate(bounds: Bounds, sections: readonly SectionOutline[]) {
  const reals = new Set<string>();
  const problems: string[] = [];
  let boundary: Boundary | undefined;
  for (const section of sections) {
    for (const path of pathsOf(section)) {
      const inside = await resolveInside(bounds, path);
      if (isRefusal(inside)) {
        problems.push(inside.refusal);
        boundary ??= inside.boundary;
      } else if (path.endsWith('/')) problems.push(`${path}: names a directory; give the name of a file`);
      else if (reals.has(inside.real)) {
        const again = `again on line ${section.line} of the patch`;
        problems.push(`${path}: is listed twice (${again}); put all its hunks into one section`);
      } else reals.add(inside.real);
    }
  }
  return problems.length > 0 ? { problems, boundary } : { reals };
}

function pathsOf(section: SectionOutline): readonly string[] {
  return section.moveTo !== null ? [section.path, section.moveTo] : [section.path];
}

async function apply(context: ToolContext, patch: string, sections: readonly SectionOutline[]): Promise<ToolOutput> {
  const found: Found[] = [];
  for (const section of sections) found.push(await find(context, section));
  const files = found.map((each) => ('inside' in each ? each.file : null));
  const bytes = files.reduce((sum, file) => sum + (file?.bytes ?? 0), 0);
  if (bytes > MAX_BYTES_UPDATED)
    return nothing([`the files of the patch have ${bytes} bytes together; the limit is ${MAX_BYTES_UPDATED}`]);
  const texts = files.map((file, index) => (sections[index]?.kind === 'update' ? (file?.text ?? null) : null));
  const planned = await computeText({ kind: 'plan', patch, texts }, context);
  if (isRefusal(planned)) return nothing([planned.refusal]);

  const plans = await Promise.all(
    found.map(async (each, index) => ('problem' in each ? each : await change(context, each, planned[index]!))),
  );
  const problems = plans.flatMap((each) => ('problem' in each ? [each.problem] : []));
  if (problems.length > 0) return nothing(problems);
  const done = plans.filter((each) => 'changes' in each);
  const changes = done.flatMap((plan) => plan.changes);
  const refusal = await makeChanges(context, changes);
  if (refusal?.partly) return toolError(`the patch failed half-way: ${refusal.refusal}`);
  if (refusal) return nothing([refusal.refusal], refusal.boundary);
  const summaries = done.map(({ summary }) => summary);
  const seen = changes.flatMap((each) => written(each, context));
  const [contents, edited] = [seen.map((each) => each.contents), seen.map((each) => each.edited ?? {})];
  const details = { files: summaries, contents: Object.assign({}, ...contents), edited: Object.assign({}, ...edited) };
  return { content: summaries.join('\n'), details };
}

function written({ path, content, read }: FileChange, context: ToolContext): readonly SeenDetails[] {
  if (content === null) return [];
  const before = read === null || read === 'any' ? {} : { before: read.hash };
  return [noteSeen(context, path.shown, { hash: hashOf(content), read: null, ...before })];
}

/** The current file of a section; `file` is null for a file that is added. */
type Found =
  | { readonly section: SectionOutline; readonly inside: InsidePath; readonly file: TextFile | null }
  | { readonly problem: string };

async function find(bounds: Bounds, section: SectionOutline): Promise<Found> {
  const inside = await resolveInside(bounds, section.path);
  if (isRefusal(inside)) return { problem: inside.refusal };
  if (section.kind === 'add') {
    if (inside.exists) return { problem: `${inside.shown}: already exists; use "*** Update File"` };
    return { section, inside, file: null };
  }
  if (!inside.exists) return { problem: `${inside.shown}: no such file; glob finds files by name` };
  const file = await readTextFile(bounds, section.path);
  if (isRefusal(file)) return { problem: file.refusal };
  if (section.kind === 'update' && !file.validUtf8) return { problem: `${file.shown}: ${NOT_UTF8}` };
  return { section, inside, file };
}

type Plan = { readonly changes: readonly FileChange[]; readonly summary: string } | { readonly problem: string };

/** The changes that a section makes to its file; nothing is written yet. */
async function change(
  bounds: Bounds,
  { section, inside, file }: Extract<Found, { section: SectionOutline }>,
  planned: SectionPlan,
): Promise<Plan> {
  const { shown } = inside;
  if ('problem' in planned) return { problem: `${shown}, ${planned.problem}` };
  const { content, lines } = planned;
  if (content !== null && Buffer.byteLength(content) > MAX_FILE_BYTES)
    return { problem: `${shown}: would become larger than ${MAX_FILE_BYTES} bytes` };
  if (file === null) {
    const count = `${lines} ${lines === 1 ? 'line' : 'lines'}`;
    return { changes: [{ path: inside, content, read: null }], summary: `added ${shown} (${count})` };
  }
  if (content === null) {
    return { changes: [{ path: inside, content, read: file }], summary: `deleted ${shown}` };
  }
  const count = section.hunks;
  const hunks = count === 0 ? '' : ` (${count} ${count === 1 ? 'hunk' : 'hunks'})`;
  if (section.moveTo === null) {
    return { changes: [{ path: inside, content, read: file }], summary: `changed ${shown}${hunks}` };
  }
  return await planMove(bounds, inside, section.moveTo, content, file, hunks);
}

async function planMove(
  bounds: Bounds,
  from: InsidePath,
  moveTo: string,
  content: string,
  file: TextFile,
  hunks: string,
): Promise<Plan> {
  const to = await resolveInside(bounds, moveTo);
  if (isRefusal(to)) return { problem: to.refusal };
  if (to.exists) return { problem: `${to.shown}: already exists, so ${from.shown} cannot be moved there` };
  const changes = [
    { path: to, content, read: null, like: file.stats },
    { path: from, content: null, read: file },
  ];
  return { changes, summary: `moved ${from.shown} to ${to.shown}${hunks}` };
}

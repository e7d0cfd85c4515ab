/** Plans a patch: which files it touches, and the change of each. Pure. Large patches are planned in a thread (compute-text.ts). */
import { applyHunks } from './apply-hunks.ts';
import { parsePatch } from './patch-text.ts';

/** The maximum number of files in one patch. */
const MAX_FILES = 200;

export interface OutlineRequest {
  readonly kind: 'outline';
  readonly patch: string;
}

/** A section without its lines; `line` is its first line in the patch, from 1. */
export interface SectionOutline {
  readonly kind: 'add' | 'delete' | 'update';
  readonly path: string;
  readonly line: number;
  readonly moveTo: string | null;
  readonly hunks: number;
}

export type OutlineResult = { readonly sections: readonly SectionOutline[] } | { readonly problem: string };

/** The files that the patch touches and how, in its order, or the first wrong line. */
export function outlinePatch({ patch }: OutlineRequest): OutlineResult {
  const parsed = parsePatch(patch);
  if ('problem' in parsed) return parsed;
  if (parsed.sections.length > MAX_FILES) return { problem: `more than ${MAX_FILES} files in one patch` };
  return {
    sections: parsed.sections.map((section) => ({
      kind: section.kind,
      path: section.path,
      line: section.line,
      moveTo: section.kind === 'update' ? section.moveTo : null,
      hunks: section.kind === 'update' ? section.hunks.length : 0,
    })),
  };
}

export interface PlanRequest {
  readonly kind: 'plan';
  readonly patch: string;
  /** By section: the content of the file that it updates; null for other sections, and if it cannot be read. */
  readonly texts: readonly (string | null)[];
}

/** The content of an added or updated file, with the number of lines of an added one; null for a deleted file. */
export type SectionPlan = { readonly content: string | null; readonly lines: number } | { readonly problem: string };

/** The change of each section's file. The patch must have an outline. */
export function planPatch({ patch, texts }: PlanRequest): readonly SectionPlan[] {
  const parsed = parsePatch(patch);
  if ('problem' in parsed) return [parsed];
  return parsed.sections.map((section, index) => {
    if (section.kind === 'delete') return { content: null, lines: 0 };
    if (section.kind === 'add') {
      return { content: section.lines.map((line) => `${line}\n`).join(''), lines: section.lines.length };
    }
    const text = texts[index] ?? null;
    if (text === null) return { content: null, lines: 0 };
    const changed = applyHunks(text, section.hunks);
    return 'problem' in changed ? changed : { content: changed.text, lines: 0 };
  });
}

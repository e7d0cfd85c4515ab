/** What a patch comes to: which files it touches, and what becomes of each; pure. Large ones are computed in a thread (compute-text.ts). */
import { applyHunks } from './apply-hunks.ts';
import { parsePatch } from './patch-text.ts';

/** Files in one patch at most. */
const MAX_FILES = 200;

export interface OutlineRequest {
  readonly kind: 'outline';
  readonly patch: string;
}

/** A section without its lines; `line` is where it begins in the patch, from 1. */
export interface SectionOutline {
  readonly kind: 'add' | 'delete' | 'update';
  readonly path: string;
  readonly line: number;
  readonly moveTo: string | null;
  readonly hunks: number;
}

export type OutlineResult = { readonly sections: readonly SectionOutline[] } | { readonly problem: string };

/** Which files the patch touches and how, in its order, or which of its lines is wrong. */
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
  /** By section: the content of the file that it updates; null for all others, and where it cannot be read. */
  readonly texts: readonly (string | null)[];
}

/** The content of a file that is added or updated, with its number of lines where it is added; null for what is deleted. */
export type SectionPlan = { readonly content: string | null; readonly lines: number } | { readonly problem: string };

/** What becomes of the file of each section. The patch has an outline. */
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

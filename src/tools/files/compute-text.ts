/** Computes on texts from an agent: directly if that takes milliseconds in the worst case, else in a separate thread. */
import { extname } from 'node:path';
import { inThread } from '../in-thread.ts';
import type { ToolContext } from '../tool.ts';
import type { EditRequest, EditResult } from './edit-text.ts';
import { editText } from './edit-text.ts';
import {
  type OutlineRequest,
  type OutlineResult,
  outlinePatch,
  type PlanRequest,
  planPatch,
  type SectionPlan,
} from './patch/plan-patch.ts';
import type { Refusal } from './refusal.ts';

export type TextRequest = EditRequest | OutlineRequest | PlanRequest;

/** The result of each kind of request. */
export interface TextResults {
  readonly edit: EditResult;
  readonly outline: OutlineResult;
  readonly plan: readonly SectionPlan[];
}

/** The limit for the daemon's own thread, in characters of all texts together. */
const MAX_CHARS = 256 * 1024;
/** The limit of comparisons of letters and of lines in that thread: about 50 ms each in the worst case. */
const MAX_LETTERS = 50_000_000;
const MAX_LINES = 200_000;

const ADVICE = 'change less at once, or use bash';
// Beside this file in either form: as TypeScript in a clone, stripped to JavaScript in a package.
const WORKER = new URL(`./text-worker${extname(import.meta.filename)}`, import.meta.url);

/** The result, or a refusal if it takes longer than half of the call's time-out. */
export async function computeText<Kind extends TextRequest['kind']>(
  request: Extract<TextRequest, { kind: Kind }>,
  context: Pick<ToolContext, 'timeoutMs' | 'signal'>,
): Promise<TextResults[Kind] | Refusal> {
  if (isQuick(request)) return compute(request) as TextResults[Kind];
  return inThread<TextResults[Kind]>(WORKER, request, context, ADVICE);
}

/** The computation itself. */
export function compute(request: TextRequest): TextResults[TextRequest['kind']] {
  switch (request.kind) {
    case 'edit':
      return editText(request);
    case 'outline':
      return outlinePatch(request);
    case 'plan':
      return planPatch(request);
    default:
      return request satisfies never;
  }
}

function isQuick(request: TextRequest): boolean {
  switch (request.kind) {
    case 'edit': {
      const { text, edits } = request;
      const longest = Math.max(...edits.map(({ old }) => old.length));
      const grown = text.length * Math.max(1, ...edits.map(({ replacement }) => replacement.length));
      const searched = edits.length * text.length * longest;
      return text.length + longest <= MAX_CHARS && searched <= MAX_LETTERS && grown * edits.length <= MAX_LETTERS;
    }
    case 'outline':
      return request.patch.length <= MAX_CHARS / 4;
    case 'plan': {
      const { patch, texts } = request;
      const chars = texts.reduce((sum, text) => sum + (text?.length ?? 0), patch.length);
      if (chars > MAX_CHARS) return false;
      const lines = texts.reduce((sum, text) => sum + (text?.split('\n').length ?? 0), 1);
      return lines * patch.split('@@').length <= MAX_LINES;
    }
    default:
      return request satisfies never;
  }
}

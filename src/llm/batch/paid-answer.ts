/** What the stored answer of a batch has cost, for those that no focus records. */
import type { Usage } from '../client.ts';
import { costUsd, exactUsd } from '../models/cost.ts';
import type { ModelInfo } from '../models/model-info.ts';
import type { BatchFormat } from './batch-format.ts';

export interface PaidAnswer {
  readonly model: string;
  /** Null: the answer does not say. */
  readonly usage: Usage | null;
  /** Null: not known. */
  readonly costUsd: number | null;
}

/** Null: it cost nothing. `stored` is a BatchAnswer as JSON. */
export function paidAnswer(stored: string, model: string, format: BatchFormat, info: ModelInfo): PaidAnswer | null {
  // What was asked does not matter for what the answer says about its tokens.
  const read = format.read({ model, system: '', tools: [], messages: [], maxTokens: 1 }, stored, false);
  if (read.kind === 'not_run') return null;
  if (read.kind === 'failed') return read.failure.lost > 0 ? { model, usage: null, costUsd: null } : null;
  const { usage: reported, model: named } = read.response;
  // An answer to a request has tokens of both kinds: a count of none is not a count.
  const usage = reported && reported.input > 0 && reported.output > 0 ? reported : null;
  const full = usage && costUsd(info, usage, {});
  return { model: named, usage, costUsd: full === null ? null : exactUsd(full * info.batchShare) };
}

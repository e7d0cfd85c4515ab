/** Asks a person whether work that may not go on with its own model goes on with the one that its faculty has now. */
import { z } from 'zod';
import { identityText } from '../../../core/config/providers/provider-identity.ts';
import { nobodyRaises } from '../../../engage/prompt/people.ts';
import type { FocusKey } from '../../../store/transcript/focus-row.ts';
import { askProvider, isInBatch, type ProviderQuestion } from '../../../store/transcript/provider-asks.ts';
import type { Log } from '../../../telemetry/log.ts';
import type { ModelSource } from '../../models/focus-model.ts';
import type { ChangedProvider } from '../../models/providers-of-work.ts';
import { modelSettings } from './begun-faculty.ts';
import type { FocusEnd } from './focus-end.ts';
import type { Focus } from './focus-scope.ts';

/** What `animus.keep_denial` keeps. */
const denial = z.object({ deniedModel: z.string().optional() });

/** Null: its providers are those with which it began. Otherwise its words go to no other one before a person has approved that. */
export async function askForProvider(focus: Focus): Promise<FocusEnd | null> {
  const { changedProvider: changed } = focus.loaded;
  const { deniedModel } = denial.safeParse(focus.row.facultySnapshot).data ?? {};
  if (deniedModel !== undefined) return ended(deniedModel);
  if (changed === null) return null;
  return askForPresent(whyOf(changed), changed, focus);
}

/** Where a limit cannot be enforced, because a model of the work has no price (any longer). Null: the current one has none either. */
export async function askForPricedModel(message: string, focus: Focus): Promise<FocusEnd | null> {
  const { loaded, faculty, reach } = focus;
  if (!hasPrice(loaded.faculty, reach.models)) return null;
  const { model } = faculty.engage;
  return askForPresent(message, { model, began: null, now: null, price: true }, focus);
}

/** Whether a limit in USD can be kept for the faculty's models. Throws like `forFocus`. */
export function hasPrice(faculty: Focus['faculty'], models: Pick<ModelSource, 'forFocus'>): boolean {
  return models.forFocus(faculty, '').maxCostUsd?.(1, 1) !== null;
}

/** It goes on with the others. */
export function warnOfLost(lost: readonly ChangedProvider[], key: FocusKey, { log }: { readonly log: Log }): void {
  for (const changed of lost) {
    const fields = { work_item_id: key.workItemId, focus_id: key.focusId, model: changed.model };
    log.warn({ ...fields, reason: whyOf(changed) }, 'work goes on without one of its fallback models');
  }
}

function whyOf({ model, began, now }: ChangedProvider): string {
  const since = began === null ? '' : `${model} was ${began} when this work began, and `;
  if (now !== null) return `${since}that name means ${now} now`;
  return began === null
    ? `no provider is configured for ${model}, with which this work began`
    : `${since}no provider of that name is configured now`;
}

async function askForPresent(
  why: string,
  asked: Omit<ProviderQuestion, 'reason' | 'present'>,
  { loaded, reach, key }: Focus,
): Promise<FocusEnd> {
  const present = modelSettings(loaded.faculty);
  const again = (await isInBatch(reach.db, key)) ? ', which is asked again for what was in a batch' : '';
  const at = present.providers[present.model];
  const where = at === undefined ? '' : ` (${identityText(at)})`;
  const reason = `${why}. It can go on with ${present.model}${where}, the faculty's present model${again}, or end`;
  if (reach.shared.unattended) return ended(nobodyRaises(reason));
  const isApproved = await askProvider(reach.db, key, { reason, ...asked, present });
  if (!isApproved)
    reach.log.warn({ work_item_id: key.workItemId, focus_id: key.focusId, reason }, 'work has lost its model');
  // What was approved is taken up again at once: it waits for nothing.
  return { kind: 'parked' };
}

/** Another attempt begins with the faculty's present model, which is what was denied; `work retry` does that. */
function ended(message: string): FocusEnd {
  const recovery = { retryDelaySeconds: null, keep: 'ledger' } as const;
  return { kind: 'failed', error: { code: 'work.provider_changed', message, phase: 'orient' }, recovery };
}

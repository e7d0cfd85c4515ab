/** The built-in engage mode: the loop of model turns and tool calls. */
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import { permissionTable } from '../../../core/permissions/permission-table.ts';
import { createJournal } from '../../../engage/calls/journal.ts';
import { createSight, roomForFiles } from '../../../engage/calls/sight.ts';
import { contextLimits } from '../../../engage/context/context-bounds.ts';
import { engage } from '../../../engage/loop.ts';
import { bashContainerText } from '../../../engage/prompt/bash-container.ts';
import { permissionsText } from '../../../engage/prompt/permissions.ts';
import { systemPrompt } from '../../../engage/prompt/prompt.ts';
import type { LoopFocus, LoopReach, LoopRun } from '../../../engage/turn/loop-state.ts';
import { createTurnTime } from '../../../engage/turn/turn-time.ts';
import type { EngageDone, EngageEnd } from '../../../engage/verdict/engage-end.ts';
import { outcomeInstruction } from '../../../engage/verdict/outcome.ts';
import { isFailureOfTheWorld, type LlmFailure } from '../../../llm/client.ts';
import type { UsedBudget } from '../../../store/transcript/begin-turn.ts';
import type { Transcript } from '../../../store/transcript/transcript.ts';
import { span } from '../../../telemetry/spans.ts';
import { permittedTool, toolSpecs } from '../../../tools/registry.ts';
import type { Toolset } from '../../../tools/source.ts';
import type { ModelSource } from '../../models/focus-model.ts';
import { leasedModel } from '../../models/leased-client.ts';
import { askForPricedModel } from '../scope/ask-for-model.ts';
import type { FocusEnd } from '../scope/focus-end.ts';
import { type Focus, type FocusReach, spanKey } from '../scope/focus-scope.ts';
import { hostIsolation } from '../scope/host-isolation.ts';
import { releaseDelaySeconds } from '../scope/recovery.ts';
import { type CommandPlaces, reachOf, withCommandPlaces } from './call-reach.ts';
import { loopHooksOf } from './focus-loop-hooks.ts';

/** Runs the loop from the current end of the transcript. */
export async function engageBuiltIn(focus: Focus, recorded: Transcript): Promise<FocusEnd | EngageDone> {
  const end = await runLoop(focus, recorded);
  const asked = end.kind === 'over_budget' && end.unpriced ? await askForPricedModel(end.message, focus) : null;
  return asked ?? endOfEngage(end, focus.reach.models);
}

/** The beginning of every request of the focus; it never changes. */
export function modelSees(
  faculty: Faculty,
  { tools }: Toolset,
  { host: { isolation }, shared: { unattended } }: Pick<FocusReach, 'host' | 'shared'>,
  inConversation = false,
) {
  const { name, engage: settings, permissions } = faculty;
  const unprotected = hostIsolation(faculty, isolation) === 'none' && !faculty.bashContainer;
  const rows = permissions ? permissionTable(permissions, [...tools.values()].map(permittedTool), unprotected) : [];
  const prompt = systemPrompt(
    { name, systemPrompt: settings.systemPrompt },
    permissionsText(rows, unattended),
    inConversation,
  );
  return {
    systemPrompt:
      prompt +
      bashContainerText(faculty.bashContainer ?? null, faculty.caches) +
      outcomeInstruction(settings.outcomeSchema),
    tools: toolSpecs(tools),
  };
}

function runLoop(focus: Focus, recorded: Transcript): Promise<EngageEnd> {
  return withCommandPlaces(focus, (places) => loopWith(places, focus, recorded));
}

function loopWith(places: CommandPlaces, focus: Focus, recorded: Transcript): Promise<EngageEnd> {
  const { reach, faculty, key, work } = focus;
  const { control, emit, first, place, unsent } = focus.run;
  const settings = faculty.engage;
  // The provider's cache is looked up by it: the same for all answers of a conversation.
  const found = reach.models.forFocus(faculty, focus.answer?.conversation ?? key.focusId, work);
  const model = leasedModel(found, reach.lease);
  const hooks = loopHooksOf(focus);
  const loopFocus: LoopFocus = {
    key,
    faculty: work.faculty,
    model,
    systemPrompt: focus.row.systemPrompt,
    toolSpecs: focus.row.tools,
    limits: {
      maxTurns: settings.maxTurns,
      outcomeSchema: settings.outcomeSchema,
      closingTurn: model.closingTurn ?? false,
    },
    bounds: {
      compactThreshold: settings.compactThreshold,
      compactKeepRecent: settings.compactKeepRecent,
      ledgerNudgeInterval: settings.ledgerNudgeInterval,
      truncateClosedBlocks: settings.truncateClosedBlocks,
    },
  };
  const run: LoopRun = {
    journal: createJournal(reach.db, key),
    signal: control.signal,
    drain: control.drain,
    onEvent: emit,
    budget: {
      limited: focus.row.budget !== null,
      keepTurn: reach.shared.keepTurn,
      onUsed: (used) => reportUsed(used, focus),
    },
    time: createTurnTime(),
    unsent,
  };
  const loopReach: LoopReach = {
    ...reachOf(focus, places, hooks),
    sight: createSight(
      reach.models.eyes(faculty),
      roomForFiles(recorded, contextLimits(loopFocus.bounds, model).prompt),
    ),
    beforeRequest: hooks.beforeRequest,
    directory: faculty.consolidate === null && place.worktree === null ? place.directory : undefined,
  };
  const begun = first?.begun;
  return span('work.engage', { ...spanKey(focus), 'gen_ai.request.model': settings.model }, () =>
    engage(loopFocus, run, loopReach, { recorded, ...(begun && { begun }) }),
  );
}

function reportUsed({ scope, subject, unit, period, amount, used }: UsedBudget, { reach, work }: Focus): void {
  reach.log.warn(
    { work_item_id: work.id, faculty: work.faculty, scope, subject, period, amount, used, unit },
    '80 % of a budget is used',
  );
}

/** Turns of others that are under way end within seconds, mostly for less than was held for them. */
function delayOf(reason: Extract<EngageEnd, { kind: 'interrupted' }>['reason']): number {
  return reason === 'budget_busy' ? 1 + 4 * Math.random() : 0;
}

/** The words by which programs tell them apart. */
const INTERRUPTED = { drained: 'daemon.stopped', paused: 'work.paused', budget_busy: 'work.budget_busy' } as const;

/** Converts the end of the loop to the end of the focus; `done` continues with consolidate. */
export function endOfEngage(end: EngageEnd, models: ModelSource): FocusEnd | EngageDone {
  switch (end.kind) {
    case 'done':
      return end;
    case 'cancelled':
    case 'parked':
      return end;
    case 'interrupted':
      return {
        kind: 'released',
        delaySeconds: delayOf(end.reason),
        reason: end.reason,
        cause: INTERRUPTED[end.reason],
        holdFaculty: false,
      };
    case 'over_budget':
      return {
        kind: 'failed',
        error: { code: 'work.budget', message: end.message, phase: 'engage' },
        // Another attempt could not spend anything either.
        recovery: { retryDelaySeconds: null, keep: 'ledger' },
      };
    case 'failed':
      return { kind: 'failed', error: { code: `engage.${end.code}`, message: end.message, phase: 'engage' } };
    case 'model_failed': {
      const { failure } = end;
      const reason = `${models.explain(failure)}${lostText(failure)}`;
      if (isFailureOfTheWorld(failure)) {
        const delaySeconds = releaseDelaySeconds(failure.retryAfterMs, Math.random());
        const cause = `llm.${failure.kind}`;
        // A request that may have been paid for is not repeated indefinitely.
        return { kind: 'released', delaySeconds, reason, cause, holdFaculty: true, usesAttempt: failure.lost > 0 };
      }
      return { kind: 'failed', error: { code: `llm.${failure.kind}`, message: reason, phase: 'engage' } };
    }
  }
}

/** Points the reader of the reason to what was spent. */
function lostText({ lost }: LlmFailure): string {
  if (lost === 0) return '';
  return `; ${lost === 1 ? 'a request' : `${lost} requests`} may have cost something and returned nothing`;
}

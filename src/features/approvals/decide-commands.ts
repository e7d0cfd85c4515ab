/** `animus work approve|deny|answer`: decisions about what waits for a person. */

import type { Command } from 'commander';
import { AnimusError, usageError } from '../../core/errors/errors.ts';
import { approveAlways, DEFAULT_GRANT_SECONDS, type GrantScope } from '../../operations/always-allow.ts';
import { type AskedView, readAsked } from '../../operations/asked.ts';
import { decidedBudget } from '../../operations/decided-budget.ts';
import type { Database, Queryable } from '../../store/sql/database.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import { findWork } from '../../store/views/find-work.ts';
import { answerQuestion, approve, deny } from '../../store/work/decide.ts';
import { askId, choice, timeSpan } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { jsonObject, jsonOf } from '../../terminal/command/json-option.ts';
import { PATIENCE } from '../../terminal/command/operation-command.ts';
import { readInput } from '../../terminal/command/read-input.ts';
import { decidedText } from '../../terminal/view/limits.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted, shortId } from '../../terminal/view/quantities.ts';
import { showRequest } from '../../terminal/view/show-asked.ts';
import { findAsk } from './store.ts';

const ASK = ['--ask <id>', 'which request, by its id in: animus inbox; needed if several wait', askId] as const;

/** Adds `animus work approve`. */
export function addApproveCommand(group: Command, run: RunCommand): void {
  addDecision(group, 'approve <id>', {
    summary: 'approve a request: the call then runs once; see it first with: animus inbox',
    examples: [
      'animus work approve 5b1f0c3de2a9',
      'animus work approve 5b1f0c3de2a9 --ask 27b6c10f9d3e --note "only on staging"',
      `animus work approve 5b1f0c3de2a9 --input '{"command": "git push origin fix"}'`,
      'animus work approve 5b1f0c3de2a9 --always=faculty --for 7d',
    ],
  })
    .option(
      '--input <json>',
      'the input with which the call runs instead of its own, as JSON or @file; for a budget: {"add": 5}',
    )
    .option(
      '--always [scope]',
      'also allow the same call from now on: for this item, or with --always=faculty for its faculty',
      choice(SCOPES),
    )
    .option('--for <time>', 'with --always: how long, such as 12h or 7d, at most 366d (default: 7d)', timeSpan)
    .option('--pattern <pattern>', 'with --always: allow inputs that match it, such as "npm test*", not only this one')
    .action(run(approveCommand));
}

/** Adds `animus work deny`. */
export function addDenyCommand(group: Command, run: RunCommand): void {
  addDecision(group, 'deny <id>', {
    summary: 'deny a request: the call does not run, and the model gets the note',
    examples: ['animus work deny 5b1f0c3de2a9 --note "not on a Friday"'],
  }).action(run(denyCommand));
}

/** Adds `animus work answer`. */
export function addAnswerCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'answer <id> <text>', {
    summary: 'answer a question of the model',
    arguments: { text: 'the answer; - reads it from standard input' },
    examples: ['animus work answer 5b1f0c3de2a9 "The branch next."'],
  })
    .option(...ASK)
    .action(run(answerCommand));
}

const SCOPES = ['item', 'faculty'] as const satisfies readonly GrantScope[];

interface DecisionOptions extends CommonOptions {
  readonly ask?: string;
  readonly note?: string;
  readonly hash?: string;
}

interface ApproveOptions extends DecisionOptions {
  readonly input?: string;
  readonly always?: (typeof SCOPES)[number] | true;
  readonly for?: number;
  readonly pattern?: string;
}

function addDecision(group: Command, usage: string, help: Parameters<typeof addCommand>[2]): Command {
  return addCommand(group, usage, help)
    .option(...ASK)
    .option('--note <text>', 'why; it is kept with the decision')
    .option('--hash <hex>', 'refuse if what waits no longer has this hash, as shown by: animus inbox --json');
}

async function approveCommand(invocation: Invocation, options: ApproveOptions, reference: string): Promise<number> {
  const input =
    options.input === undefined
      ? undefined
      : JSON.stringify(jsonObject('--input', jsonOf('--input', options.input, invocation.context.cwd)));
  const { always, note, pattern, for: seconds = DEFAULT_GRANT_SECONDS } = options;
  if (always === undefined && (options.for !== undefined || pattern !== undefined)) {
    throw usageError('--for and --pattern can only be used with --always');
  }
  return decideOn(invocation, options, reference, 'approved', async (db, id, { ask_id: ask, hash }) => {
    const decision = { ask, hash, note, input };
    if (always === undefined) return { ask: await approve(db, id, decision), grant: null, input };
    const allowed = { scope: always === true ? 'item' : always, seconds, pattern };
    const refusal = ['usage.invalid', '--pattern'] as const;
    return { ...(await db.transaction((tx) => approveAlways(tx, id, decision, allowed, refusal))), input };
  });
}

async function denyCommand(invocation: Invocation, options: DecisionOptions, reference: string): Promise<number> {
  return decideOn(invocation, options, reference, 'denied', async (db, id, { ask_id: ask, hash }) => ({
    ask: await deny(db, id, { ask, hash, note: options.note }),
    grant: null,
  }));
}

interface Decided {
  readonly ask: string;
  readonly grant: string | null;
  /** The input in place of the call's own. */
  readonly input?: string | undefined;
}

/** Decides about what is shown: the decision carries the hash of what was read, so that nothing else is decided. */
async function decideOn(
  invocation: Invocation,
  options: DecisionOptions,
  reference: string,
  done: 'approved' | 'denied',
  decide: (db: Database, id: string, asked: AskedView) => Promise<Decided>,
): Promise<number> {
  const { output } = invocation;
  const { id, asked, decided, budget, open } = await withDatabase(invocation, async (db) => {
    const found = await findWork(db, reference);
    const wanted = await chosen(db, found, options, done);
    const result = await untilUnlocked(() => decide(db, found, wanted), PATIENCE);
    const limit = await decidedBudget(db, result.ask);
    return { id: found, asked: wanted, decided: result, budget: limit, open: (await readAsked(db, found)).length };
  });
  const { ask_id: ask, hash } = asked;
  output.document({ id, ask_id: ask, hash, [done]: true, grant_id: decided.grant, budget, still_waiting: open });
  showRequest(output, asked);
  output.line(
    styled(done, done === 'approved' ? 'green' : 'red'),
    decided.input === undefined ? '' : ` with ${decided.input}`,
    stillOpen(output, id, open),
  );
  if (budget !== null) output.block(decidedText(done, budget), '  ');
  if (decided.grant !== null) output.command(`grant ${decided.grant}; end it with: `, `work revoke ${decided.grant}`);
  return 0;
}

function stillOpen({ called }: Output, id: string, open: number): string {
  return open === 0 ? '' : `; the item waits for ${counted(open, 'more decision')}: ${called} inbox ${shortId(id)}`;
}

/** The one that is meant. What is not there, or is ambiguous, the database refuses with the reason. */
async function chosen(
  db: Queryable,
  id: string,
  { ask, hash }: DecisionOptions,
  done: 'approved' | 'denied',
): Promise<AskedView> {
  const named = await findAsk(db, id, ask);
  const fits = ({ kind, subject, ask_id: name }: AskedView) =>
    named === undefined
      ? subject !== 'skill' && subject !== 'lost' && (done === 'denied' || kind === 'approval')
      : name === named;
  const [only, ...others] = (await readAsked(db, id)).filter(fits);
  if (only === undefined || others.length > 0) {
    const decide = done === 'approved' ? approve : deny;
    await decide(db, id, { ask: named, hash: NO_HASH });
    throw new AnimusError('work.state', { id, detail: `what work item ${id} waits for has just changed` });
  }
  if (hash !== undefined && (hash.length < 8 || !only.hash.startsWith(hash.toLowerCase()))) {
    const detail = `request ${shortId(only.ask_id)} of work item ${shortId(id)} has a different hash: ${only.hash}`;
    throw new AnimusError('work.state', { id, detail });
  }
  return only;
}

/** Fits nothing that waits. */
const NO_HASH = '0'.repeat(64);

async function answerCommand(
  invocation: Invocation,
  { ask }: DecisionOptions,
  reference: string,
  given: string,
): Promise<number> {
  const { output, context } = invocation;
  const text = given === '-' ? await readInput(context.stdin) : given;
  const { id, answered, open } = await withDatabase(invocation, async (db) => {
    const found = await findWork(db, reference);
    const named = await findAsk(db, found, ask);
    const name = await untilUnlocked(() => answerQuestion(db, found, text, named), PATIENCE);
    return { id: found, answered: name, open: (await readAsked(db, found)).length };
  });
  output.document({ id, ask_id: answered, answered: true, still_waiting: open });
  output.line(
    styled(shortId(id), 'bold'),
    `  ${shortId(answered)}  `,
    styled('answered', 'green'),
    stillOpen(output, id, open),
  );
  return 0;
}

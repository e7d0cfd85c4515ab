/** `animus work show`: everything about one item. */
import type { LedgerEntry } from '../../../operations/ledger.ts';
import type { Descendant, WorkDetail } from '../../../operations/read-work.ts';
import type { ArtifactView } from '../../../store/views/artifact-views.ts';
import { findWork } from '../../../store/views/find-work.ts';
import { addCommand, type CommonOptions, type Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import type { AddOperation } from '../../../terminal/command/operation-command.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import {
  age,
  bytes,
  costOfWork,
  counted,
  NONE,
  shortDescription,
  shortId,
  stateLabel,
  tokens,
  uncertainParts,
  WORK_OF_ANOTHER,
} from '../../../terminal/view/quantities.ts';
import { showAsked } from '../../../terminal/view/show-asked.ts';
import { showLedger } from '../../../terminal/view/show-ledger.ts';
import { heading, showOutcome, showRetry } from '../../../terminal/view/show-outcome.ts';
import { resultJson, showResult } from '../../../terminal/view/show-result.ts';
import { waitingCommand, waitingText } from '../../../terminal/view/waiting-text.ts';
import { showBudgets } from './show-budgets.ts';
import { showFocus } from './show-focus.ts';
import { showMail } from './show-mail.ts';
import { showSkills } from './show-skills.ts';
import { readShownWork } from './shown-work.ts';

/** Adds `animus work show`. */
export const show: AddOperation = (group, run) => {
  addCommand(group, 'show <id>', {
    summary: 'show an item: tree, foci, turns, tool calls, ledger, outcome',
    examples: ['animus work show 5b1f0c3de2a9', 'animus work show 5b1f0c3de2a9 --json | jq .item.outcome'],
  })
    .option('--full', 'whole texts of turns and tool calls, and what the engine wrote into the context')
    .action(run(showCommand));
};

interface ShowOptions extends CommonOptions {
  readonly full?: boolean;
}

async function showCommand(invocation: Invocation, options: ShowOptions, reference: string): Promise<number> {
  const { output } = invocation;
  const { shown, isPart } = await withDatabase(invocation, async (db) =>
    readShownWork(db, await findWork(db, reference), options.full),
  );
  output.document({ ...shown, worktree: resultJson(shown.worktree) });
  showItem(output, shown.item);
  for (const asked of shown.asked) {
    heading(output, 'Waits for a person');
    showAsked(output, asked, options.full);
  }
  showBudgets(output, shown.budgets);
  showMail(output, shown.item, shown.messages);
  showArtifacts(output, shown.artifacts);
  showSkills(output, shown.skills);
  showTree(output, shown.item.id, shown.children);
  for (const focus of shown.foci) {
    showFocus(output, focus, { full: options.full === true, state: shown.item.state });
  }
  showEntries(output, shown.ledger);
  showOutcome(output, shown.item);
  showRetry(output, shown.item);
  showResult(output, shown.worktree);
  if (isPart)
    output.note('this login sees only what it has submitted; its turns, calls and waits need the role animus_reader');
  return 0;
}

function showItem(output: Output, item: WorkDetail): void {
  const now = Date.now();
  output.line(styled(shortDescription(item.description, 2000) || '(no description)', 'bold'));
  const field = (name: string, ...parts: readonly Part[]) =>
    output.line('  ', styled(name.padEnd(10), 'dim'), ...parts);
  const idField = (name: string, id: string) => {
    const line = `  ${name.padEnd(10)}${id}`;
    if (line.length > output.width) output.line(`  ${name}`);
    output.copyable(line.length > output.width ? `  ${id}` : line);
  };
  idField('id', item.id);
  const ended = item.resolved_at ? `, ended ${age(item.resolved_at, now)}` : '';
  field('state', stateLabel(item.state), `  (created ${age(item.created_at, now)}${ended})`);
  if (item.merged_into !== null) idField('merged to', item.merged_into);
  else if (item.state === 'merged') field('merged to', WORK_OF_ANOTHER);
  field('faculty', item.faculty, item.skill === null ? '' : `, skill ${item.skill}`);
  if (item.waiting !== null) {
    field('waits', waitingText(item.waiting));
    field('until', item.waiting.ends);
    const command = waitingCommand(item.waiting, item);
    if (command !== null && !command.startsWith('work show')) output.command('            ', command);
  }
  for (const id of item.waiting?.work_items ?? []) idField('awaits', id);
  if (item.attempts > 0) field('attempts', `${item.attempts} of ${item.max_attempts ?? '?'} failed`);
  if (item.priority !== 0) field('priority', String(item.priority));
  if (item.dedup_key !== null) field('dedup key', item.dedup_key);
  field('source', item.source, item.trigger_info === null ? '' : `  ${JSON.stringify(item.trigger_info)}`);
  if (item.parent_id !== null) idField('parent', item.parent_id);
  if (Object.keys(item.params).length > 0) field('params', JSON.stringify(item.params));
  if (costOfWork(item) !== NONE) {
    const { uncounted_calls: uncounted } = item;
    const used = `tokens ${tokens(item.input_tokens, uncounted)} in, ${tokens(item.output_tokens, uncounted)} out`;
    field('cost', costOfWork(item), uncertainParts(item), `  ${counted(item.turns, 'turn')}, ${used}`);
  }
  if (item.cancel_requested_at !== null) field('cancel', item.cancel_reason ?? 'requested');
}

/** Files of the item: what came with it, and an outcome that is too large for its row. */
function showArtifacts(output: Output, artifacts: readonly ArtifactView[]): void {
  if (artifacts.length === 0) return;
  heading(output, 'Files');
  for (const { id, name, media_type: type, bytes: size } of artifacts) {
    output.line('  ', styled(name, 'bold'), `  ${bytes(size)}  `, styled(`${type.split(';')[0]}  ${id}`, 'dim'));
  }
}

function showTree(output: Output, rootId: string, items: readonly Descendant[]): void {
  if (items.length === 0) return;
  heading(output, 'Children');
  const draw = (parentId: string, indent: string) => {
    const children = items.filter((item) => item.parent_id === parentId);
    for (const [index, child] of children.entries()) {
      const last = index === children.length - 1;
      const branch = last ? '└─ ' : '├─ ';
      output.line(
        indent,
        branch,
        `${shortId(child.id)}  `,
        stateLabel(child.state),
        `  ${child.faculty}  ${child.description}`,
        styled(child.merged_into === null ? '' : `  → ${shortId(child.merged_into)}`, 'dim'),
        styled(child.detached ? '  detached' : '', 'dim'),
      );
      draw(child.id, indent + (last ? '   ' : '│  '));
    }
  };
  draw(rootId, '  ');
}

function showEntries(output: Output, entries: readonly LedgerEntry[]): void {
  if (entries.length === 0) return;
  heading(output, 'Ledger');
  showLedger(output, entries, '  ');
}

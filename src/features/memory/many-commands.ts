/** `animus memory forget|merge|unmerge`: several memories at once, all or none. */
import { type Fields, flag, type InputOf, id, list, text } from '../../operations/fields.ts';
import type { Acting, Operation } from '../../operations/operation.ts';
import * as store from '../../store/memory/memories.ts';
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted, shortId } from '../../terminal/view/quantities.ts';
import { forgetMemory, unmergeMemory, updateMemory } from './operations.ts';
import type { Forgotten, Redacted } from './store.ts';
import { memoryIds } from './values.ts';

const [EXAMPLE, OTHER] = ['019a8f2e-7c31-7d7b-9f00-5b1f0c3de2a9', '019a8f2e-7c31-7d7b-9f00-0c41d7ab93f1'];

const forgetAll = several(
  forgetMemory,
  { ids: list(id()), reason: text({ default: '' }), redact: flag({ default: false }) },
  (acting, { ids, ...how }) => each(ids, (gone) => forgetMemory.run(acting, { id: gone, ...how })),
);

/** With --redact, ids of memories that are already gone are also accepted. */
export const forget = operationCommand(forgetAll, {
  usage: 'forget <ids...>',
  summary:
    'delete memories permanently, with their history; recorded as a decision. Work that found them keeps what it read, unless you redact it',
  arguments: { ids: 'of the memories, as memory search prints them' },
  examples: [
    `animus memory forget ${EXAMPLE} --reason "it was wrong"`,
    `animus memory forget ${EXAMPLE} --redact --reason "it names a person"`,
  ],
  options: {
    reason: ['--reason <text>', 'why (default: "")'],
    redact: [
      '--redact',
      'also remove their texts from tool calls, answers and messages of ended work that stored or found them; only operators may',
    ],
  },
  document: ({ input: { redact }, result }) => ({
    forgotten: result.map((gone) => gone.id),
    ...(redact && { redacted: result.map((gone) => ({ id: gone.id, ...gone.redacted })) }),
  }),
  show(output, { input: { redact }, result }) {
    for (const gone of result) showForgotten(output, gone);
    if (!redact)
      output.note('its text stays in the records of work that stored or found it; --redact takes it out of them');
  },
});

function showForgotten(output: Output, { id: gone, redacted }: Forgotten): void {
  output.line(styled(gone, 'bold'), '  forgotten', redacted === null ? '' : `, ${redactedWords(redacted)}`);
  if (redacted === null || redacted.still_open.length === 0) return;
  output.note(`redact it again when this work has ended: ${redacted.still_open.map(shortId).join(', ')}`);
}

function redactedWords({ records, items }: Redacted): string {
  if (records === 0) return 'and not in any record';
  return `and redacted in ${counted(records, 'record')} of ${counted(items, 'work item')}`;
}

const mergeAll = several(updateMemory, { into: id(), ids: list(id()) }, async ({ tx }, { into: named, ids }) => {
  const [into] = memoryIds([named]);
  const changed = await each(ids, (merged) => store.updateMemory(tx, into!, { merge: merged }, null));
  return { into: into!, merged: changed.flatMap(({ mergedIds }) => mergedIds) };
});

export const merge = operationCommand(mergeAll, {
  usage: 'merge <into> <ids...>',
  summary: 'merge memories that say the same thing into one, whose text is kept',
  arguments: {
    into: 'id of the memory that stays',
    ids: 'of those that become part of it; of the same layer, project or task, and owner',
  },
  examples: [`animus memory merge ${EXAMPLE} ${OTHER}`],
  show(output, { result: { into, merged } }) {
    for (const gone of merged)
      output.line(styled(gone, 'bold'), `  is part of ${into} now; to undo: animus memory unmerge ${gone}`);
  },
});

const unmergeAll = several(unmergeMemory, { ids: list(id()) }, (acting, { ids }) =>
  each(ids, async (merged) => ({ id: merged, from: (await unmergeMemory.run(acting, { id: merged })).into_id })),
);

export const unmerge = operationCommand(unmergeAll, {
  usage: 'unmerge <ids...>',
  summary: 'undo merges: the memories are found again, with their own texts',
  arguments: { ids: 'of the memories that were merged, as memory merges prints them' },
  examples: [`animus memory unmerge ${OTHER}`],
  document: ({ result }) => ({ unmerged: result }),
  show(output, { result }) {
    for (const { id: found, from } of result)
      output.line(styled(found, 'bold'), `  is found again; it was part of ${from}`);
  },
});

/** The act with other fields: for several rows in one transaction. */
function several<All extends Fields, Result>(
  { prepare: _prepare, check: _check, ...act }: Operation,
  input: All,
  run: (acting: Acting<never>, input: InputOf<All>) => Promise<Result>,
): Operation<InputOf<All>, Result> {
  return { ...act, input, run };
}

/** One after the other: they share a transaction. */
async function each<Result>(ids: readonly string[], act: (id: string) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const one of memoryIds(ids)) results.push(await act(one));
  return results;
}

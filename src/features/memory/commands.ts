/** `animus memory search|add|forget|merge|merges|unmerge|stats`. */

import { MEMORY_LAYERS } from '../../store/memory/memories.ts';
import { type AddOperation, operationCommand } from '../../terminal/command/operation-command.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, bytes, grouped, shortDescription, shortId } from '../../terminal/view/quantities.ts';
import { right, showTable, spare } from '../../terminal/view/table.ts';
import { add } from './add-command.ts';
import { embeddingsLine, readEmbeddings } from './embedding-status.ts';
import { forget, merge, unmerge } from './many-commands.ts';
import { memoryMerges, memoryStats } from './operations.ts';
import { search } from './search-command.ts';
import type { MemoryMerge } from './store.ts';

/** How much of a text is shown; --json has all. */
const SHOWN_CHARS = 500;

/** Both texts of each merge, so that a person sees whether they say the same. */
const merges = operationCommand(memoryMerges, {
  usage: 'merges',
  summary: 'list memories that were merged into others, with both texts, newest first',
  examples: ['animus memory merges', 'animus memory merges --limit 200 --json'],
  options: { limit: ['--limit <n>', 'at most this many (default: 50)'] },
  document: ({ result }) => ({ merges: result.items }),
  show(output, { result: { items } }) {
    for (const each of items) {
      output.line(
        styled(each.id, 'bold'),
        `  into ${each.into_id}`,
        styled(`  ${age(each.merged_at, Date.now())}, ${reasonOf(each)}`, 'dim'),
      );
      output.block(`was:   ${shortDescription(each.content, SHOWN_CHARS)}`, '   ');
      output.block(`found: ${shortDescription(each.into_content, SHOWN_CHARS)}`, '   ');
    }
    output.note(items.length === 0 ? 'no memory was merged into another' : 'to undo one: animus memory unmerge ID');
  },
});

function reasonOf({ reason, actor, work_item_id: item }: MemoryMerge): string {
  if (reason === 'similar') return 'by an earlier version of animus, because they were alike';
  const by = item === null ? (actor ?? 'unknown') : `work ${shortId(item)}`;
  return reason === 'same_text' ? `it had the same text (by ${by})` : `by ${by}`;
}

const stats = operationCommand(memoryStats, {
  usage: 'stats',
  summary: 'show how many memories each layer has, and how many of them lack an embedding',
  examples: ['animus memory stats', 'animus memory stats --json'],
  after: (db) => readEmbeddings(db),
  document: ({ result: { layers }, after: embeddings }) => ({ layers, embeddings }),
  show(output, { result: { layers }, after: embeddings }) {
    showTable(output, MEMORY_LAYERS, [
      ['LAYER', (layer) => styled(layer, 'bold')],
      [right('MEMORIES'), (layer) => grouped(layers[layer].memories)],
      [spare(right('PLACES')), (layer) => grouped(layers[layer].places)],
      [spare(right('AT MOST')), (layer) => `${grouped(layers[layer].limit)} each`],
      [spare(right('MERGED')), (layer) => grouped(layers[layer].merged)],
      [right('EMBEDDED'), (layer) => grouped(layers[layer].embedded)],
      [spare(right('REFUSED')), (layer) => grouped(layers[layer].refused)],
      [spare(right('SIZE')), (layer) => bytes(layers[layer].bytes)],
    ]);
    output.line();
    output.block(embeddingsLine(embeddings));
  },
});

/** In the order of the help. */
export const memoryCommands: readonly AddOperation[] = [search, add, forget, merge, merges, unmerge, stats];

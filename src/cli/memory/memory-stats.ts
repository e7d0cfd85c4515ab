/** `animus memory stats`. */
import { MEMORY_LAYERS } from '../../store/memory/memories.ts';
import { memoryStats } from '../../store/memory/memory-stats.ts';
import { readEmbeddings } from '../../store/views/embeddings-view.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { bytes, grouped } from '../../terminal/view/quantities.ts';
import { embeddingsLine } from './embeddings-line.ts';

/** Shows counts per layer, and how the embeddings stand. */
export async function memoryNumbers(invocation: Invocation, _options: CommonOptions): Promise<number> {
  const { output } = invocation;
  const { layers, embeddings } = await withDatabase(invocation, async (db) => ({
    ...(await memoryStats(db)),
    embeddings: await readEmbeddings(db),
  }));
  output.document({ layers, embeddings });
  output.table(
    [
      { title: 'LAYER' },
      { title: 'MEMORIES', align: 'right' },
      { title: 'PLACES', align: 'right', optional: true },
      { title: 'AT MOST', align: 'right', optional: true },
      { title: 'MERGED', align: 'right', optional: true },
      { title: 'EMBEDDED', align: 'right' },
      { title: 'REFUSED', align: 'right', optional: true },
      { title: 'SIZE', align: 'right', optional: true },
    ],
    MEMORY_LAYERS.map((layer) => {
      const each = layers[layer];
      return [
        styled(layer, 'bold'),
        grouped(each.memories),
        grouped(each.places),
        `${grouped(each.limit)} each`,
        grouped(each.merged),
        grouped(each.embedded),
        grouped(each.refused),
        bytes(each.bytes),
      ];
    }),
  );
  output.line();
  output.block(embeddingsLine(embeddings));
  return 0;
}

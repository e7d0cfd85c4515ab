/** read_output: reads parts of an output that was too large for the context, and shows a picture again that was left out. */
import { z } from 'zod';
import type { Queryable } from '../store/sql/database.ts';
import { readArtifact, readPicture } from '../store/transcript/artifacts.ts';
import { describeMedia } from './media.ts';
import { databaseTool, type ToolContext, type ToolOutput, toolError } from './tool.ts';

/** The size of one part in characters: about 6,000 tokens of English. */
const MAX_CHARACTERS = 20_000;

export const readOutput = databaseTool({
  name: 'read_output',
  description:
    'Reads a part of an output that was cut in your context. The note in its place names the artifact; offset and limit count characters.',
  words: {},
  risk: 'read',
  input: z.strictObject({
    artifact: z.uuid().describe('the artifact id that the cut output names'),
    offset: z.int().min(0).max(2_000_000_000).default(0).describe('characters to skip'),
    limit: z.int().min(1).max(MAX_CHARACTERS).default(MAX_CHARACTERS).describe('maximum number of characters to read'),
  }),
  async run({ artifact, offset, limit }, context, tx) {
    const part = await readArtifact(tx, context.workItemId, artifact, offset, limit);
    if (part === null)
      return (await pictureAgain(artifact, context, tx)) ?? toolError(`this work item has no artifact ${artifact}`);
    if (offset >= part.characters) {
      return toolError(`the artifact has ${part.characters} characters; offset ${offset} is after its end`);
    }
    const end = Math.min(offset + limit, part.characters);
    const next = end < part.characters ? `; the next part begins at offset ${end}` : '; this is its end';
    return { content: `[characters ${offset} to ${end} of ${part.characters}${next}]\n${part.text}` };
  },
});

/** An image or a PDF file that the item has; null if it has none with this id. */
async function pictureAgain(
  artifactId: string,
  { workItemId }: Pick<ToolContext, 'workItemId'>,
  tx: Queryable,
): Promise<ToolOutput | null> {
  const kept = await readPicture(tx, workItemId, artifactId);
  const media = kept && describeMedia(kept.content);
  if (!kept || !media) return null;
  const file = { name: kept.name, mediaType: media.mediaType, bytes: kept.content, artifactId };
  return { content: `${kept.name}: ${media.words}`, files: [file] };
}

/** The request of a turn, as people see it. */
import { type RowOf, row } from '../../operations/row.ts';

const block = row((s) =>
  s.z
    .object({
      role: s.z.enum(['user', 'assistant']),
      kind: s.z
        .string()
        .describe('`answer` of a model, `results` of its calls, or the kind of a message of the engine'),
      turn: s.z.int().describe('of an answer and its results; of a message, the turn after which it was written'),
      content: s.json().describe('its content blocks; of files only the names'),
      tokens: s.z.int().describe('by estimate, without files'),
      replaces: s.z
        .object({ from: s.z.int(), to: s.z.int() })
        .nullable()
        .describe('of a stub or a summary: the turns that it stands for'),
    })
    .meta({ id: 'SentBlock' }),
);

export const sentRequest = row((s) =>
  s.z
    .object({
      focus_id: s.id(),
      turn: s.z.int(),
      provider: s.z.string().nullable(),
      model: s.z.string().nullable().describe('that answered; null: none has yet'),
      input_tokens: s.z.int().nullable().describe('of the request, as the provider counted them'),
      system_prompt: s.z.string().nullable().describe('for those who may see all work'),
      tools: s.json().describe('names, descriptions and schemas; for those who may see all work'),
      blocks: s.z.array(block(s)).describe('in the order in which they were sent'),
      replaced: s.z
        .array(s.z.object({ turn: s.z.int(), tokens: s.z.int(), by: s.z.int().nullable() }))
        .describe('earlier turns of which nothing but a stub or a summary was sent; `by`: the index of that block'),
    })
    .meta({ id: 'SentRequest' }),
);
export type SentRequest = RowOf<typeof sentRequest>;

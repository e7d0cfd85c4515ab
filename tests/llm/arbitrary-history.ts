import * as fc from 'fast-check';
import type { ContentBlock, MediaBlock, Message, TextBlock, ToolCallBlock } from '../../src/llm/client.ts';
import { GIF, pdf } from '../support/media-files.ts';
import { seal } from '../support/model-server/responses-rules.ts';

/** Who speaks in these histories: half of the thinking is by another model. */
const AUTHORS = [
  { provider: 'p', model: 'asked' },
  { provider: 'p', model: 'other' },
  { provider: 'q', model: 'asked' },
] as const;

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', ' ', '\n', '\ud83d', 'a "quoted" \\ud83d \u2028 line'),
);

const text: fc.Arbitrary<TextBlock> = anyText.map((value) => ({ type: 'text', text: value }));
const solidText: fc.Arbitrary<TextBlock> = anyText.map((value) => ({ type: 'text', text: `x${value}` }));

const media: fc.Arbitrary<MediaBlock> = fc.constantFrom(
  { type: 'image', mediaType: 'image/gif', data: GIF.toString('base64') },
  { type: 'image', mediaType: 'image/tiff', data: 'aGFsbG8=' },
  { type: 'document', mediaType: 'application/pdf', data: pdf().toString('base64'), name: 'a' },
  { type: 'document', mediaType: 'text/plain', data: 'aGFsbG8=' },
);

const jsonObject = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

const thinking: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc
    .tuple(anyText, fc.constantFrom(...AUTHORS), fc.boolean(), fc.constantFrom('fields', 'item', 'plain item', 'none'))
    .map(([value, author, signed, vendor]) => ({
      type: 'thinking' as const,
      text: value,
      ...(signed && { signature: 'sig==' }),
      ...(vendor === 'fields' && { fields: { reasoning_content: value } }),
      ...(vendor === 'item' && {
        item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: seal(author.model, 'thought') },
      }),
      ...(vendor === 'plain item' && {
        item: { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: value }] },
      }),
      ...author,
    })),
  fc.constantFrom(...AUTHORS).map((author) => ({ type: 'redacted_thinking' as const, data: 'x==', ...author })),
);

/** Ids as vendors make them, illegal elsewhere and repeated from turn to turn. */
const callId = fc.oneof(
  fc.constantFrom('call_0', 'call_1', 'functions.bash:3', 'ß'),
  fc.string({ minLength: 1, maxLength: 60 }),
);

const calls: fc.Arbitrary<ToolCallBlock[]> = fc.uniqueArray(
  fc
    .record({
      type: fc.constant('tool_call' as const),
      id: callId,
      name: fc.constantFrom('read_file', 'bash'),
      input: jsonObject,
    })
    .chain((call) => fc.boolean().map((invalid) => (invalid ? { ...call, input: {}, invalidInput: '{"half' } : call))),
  { selector: (call) => call.id, maxLength: 4 },
);

const resultOf = (call: ToolCallBlock) =>
  fc.record({
    type: fc.constant('tool_result' as const),
    callId: fc.constant(call.id),
    content: fc.array(fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: media }), { maxLength: 3 }),
    isError: fc.boolean(),
  });

function resultsOf(made: readonly ToolCallBlock[]): fc.Arbitrary<ContentBlock[]> {
  return fc
    .tuple(...made.map(resultOf))
    .chain((results) => fc.shuffledSubarray(results, { minLength: results.length }));
}

/** An answer and what the user side says to it: the results in any order, notices among them or in a message of their own. */
const turn: fc.Arbitrary<Message[]> = fc
  .tuple(
    fc.array(fc.oneof(thinking, text), { maxLength: 3 }),
    solidText,
    calls,
    fc.array(text, { maxLength: 2 }),
    fc.boolean(),
  )
  .chain(([thoughts, said, made, notices, apart]) =>
    resultsOf(made).map((results) => {
      const reply: Message[] = apart
        ? [
            { role: 'user', content: results },
            { role: 'user', content: [...notices, said] },
          ]
        : [{ role: 'user', content: [...notices, ...results, ...(results.length > 0 ? [] : [said])] }];
      const content = [...thoughts, ...(made.length === 0 ? [said] : []), ...made];
      return [{ role: 'assistant' as const, content }, ...reply.filter((message) => message.content.length > 0)];
    }),
  );

/** Legal histories in the port's terms: each call has its result in the next user turn, and the last word is the user's. */
export const history: fc.Arbitrary<Message[]> = fc
  .tuple(fc.array(fc.oneof(solidText, media), { minLength: 1, maxLength: 3 }), fc.array(turn, { maxLength: 6 }))
  .chain(([first, turns]) => {
    const messages: Message[] = [{ role: 'user', content: first }, ...turns.flat()];
    return fc
      .array(fc.boolean(), { minLength: messages.length, maxLength: messages.length })
      .map((marks) => messages.map((message, at) => ({ ...message, ...(marks[at] && { cacheBreakpoint: true }) })));
  });

/** Text that survives every mapping, for what must come back exactly. */
export const exactText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((value) => `x${value.toWellFormed()}`);

/** An object that JSON carries exactly. */
export const exactInput = jsonObject.map(
  (value) => JSON.parse(JSON.stringify(value).toWellFormed()) as Record<string, unknown>,
);

/** The tool with which the model asks a person: the focus is parked until somebody answers, and holds no slot meanwhile. */
import { z } from 'zod';
import { isoSeconds } from '../core/text/iso-seconds.ts';
import { someText } from './some-text.ts';
import { databaseTool, type Tool, toolError } from './tool.ts';

const DAY_SECONDS = 86_400;
const MAX_SECONDS = 30 * DAY_SECONDS;

/** Available to every faculty; where nobody can be asked, its calls fail at once. */
export const askHuman: Tool = databaseTool({
  name: 'ask_human',
  description:
    'Asks a person and waits for the answer, which may take hours and costs nothing. Ask only what your work depends on and you cannot find out or ' +
    'decide yourself. The person sees only the question: say what it is about, and what depends on the answer.',
  words: { choices: 'suggested answers' },
  risk: 'read',
  input: z.strictObject({
    question: someText(10_000).describe('the whole question; the person sees nothing else of your work'),
    choices: z.array(someText(200)).min(2).max(20).optional().describe('answers to choose from; others are possible'),
    timeout_seconds: z
      .int()
      .positive()
      .max(MAX_SECONDS)
      .default(DAY_SECONDS)
      .describe('how long to wait, at most 30 days'),
  }),
  async run({ question, choices, timeout_seconds: seconds }) {
    const request = { question, ...(choices && { choices }) };
    return {
      content: `waiting for an answer: ${question}`,
      wait: { kind: 'human', deadline: null, asks: { subject: 'question', request, seconds } },
    };
  },
  async afterWait(_input, { result, resolvedAt }) {
    const at = isoSeconds(resolvedAt);
    const { decision, by = 'an operator', answer, note } = result;
    if (decision === 'answer') {
      return { content: `${by} answered at ${at}:\n${String(answer)}`, details: { answered_by: by } };
    }
    if (decision === 'deny') {
      const why = note === undefined ? '' : ` The reason given: ${note}`;
      return toolError(`${by} declined to answer at ${at}.${why}`, { answered_by: by });
    }
    return toolError(`Nobody answered until ${at}. Go on without the answer, or end with what is missing.`);
  },
});

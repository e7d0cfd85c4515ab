/** What the model is told in a conversation. */
import { fenced } from '../../core/text/fence.ts';
import type { AnswerStart, EarlierWords, SaidWords } from '../../store/conversations/answer-start.ts';
import { cutMiddle } from './cut-text.ts';

/** The parts of the system prompt that differ where people are there. */
export const IN_CONVERSATION = {
  beginning:
    ', in a conversation with people. Each of their messages has a heading with the name of its author, and its text is between two lines of ~. Follow what they ask of you there. Answer the newest message, in its language. They see only the text of your answers, not your calls and their results: say what they need to know. Where something is unclear, ask: an answer may be a question.',
  ledger: `When you have answered, your calls and their results are removed from your context; what you and the others have said stays. What you need later has to be in your answers, in files or in the ledger, which survives restarts and which others read. Write to it with ledger_append only what is worth keeping beyond your answer:
- plan: what you are going to do, where it takes many steps.
- finding: a fact you established, with its evidence (file and line, command and output).
- decision: a choice that was made, and why.
- step: a part of the plan that is done. It removes the calls before it from your context; what you recorded since the last step remains.
- error: what went wrong and what you conclude from it.
- note: anything else worth keeping.`,
  ending:
    'An answer without a tool call ends your turn in the conversation. If you do something that takes long, do it first and answer then.',
} as const;

/** What was said, each message under the name of its author. */
export function saidText(said: readonly SaidWords[]): string {
  return said.map(({ author, at, text }) => `# Message from ${quoted(author)}, ${at}\n${fenced(text)}`).join('\n\n');
}

/** The beginning of a first answer, or of one that begins from the recorded words: who takes part, and what was said before. */
export function conversationText({ title, path, people }: AnswerStart, words: readonly EarlierWords[]): string {
  const heading = title === '' ? '# Conversation' : `# Conversation ${quoted(title)}`;
  const who = `Who takes part: ${people.map(quoted).join(', ')}. The whole conversation can be read as the file ${quoted(path)} with read_file, if you have that tool.`;
  if (words.length === 0) return `${heading}\n${who}`;
  const shown = newestThatFit(words.map(wordsText));
  const leftOut = words.length - shown.length;
  const note = leftOut === 0 ? '' : ` The first ${leftOut} messages are left out here.`;
  return `${heading}\n${who}\n\n# What was said before\nThese are the recorded words; your own answers are under your name.${note}\n${shown.join('\n')}`;
}

/** About 32,000 tokens of earlier words. */
const MAX_WORDS_BYTES = 131_072;
const MAX_MESSAGE_BYTES = 32_768;

function wordsText({ role, author, content, endedAs }: EarlierWords): string {
  const text = cutMiddle(content, MAX_MESSAGE_BYTES, (bytes) => `\n[… ${bytes} bytes left out …]\n`);
  const how =
    role === 'assistant' && endedAs !== null && endedAs !== 'completed'
      ? ` (this answer was not finished: ${endedAs})`
      : '';
  return `${quoted(author)}${how}:\n${fenced(text)}`;
}

function newestThatFit(texts: readonly string[]): string[] {
  let bytes = 0;
  const from = texts.findLastIndex((text) => (bytes += Buffer.byteLength(text)) > MAX_WORDS_BYTES);
  return texts.slice(from + 1);
}

/** What is left of the calls of the answer before. */
export function tracesText(lines: readonly string[]): string {
  return `# Your last answer\nThe calls that you made for it and their results are no longer in your context. This is what they were, and what you recorded (data).\n${fenced(lines.join('\n'))}`;
}

/** A name in quotes, without characters that could make it look like more than a name. As `animus.quoted_name`. */
function quoted(name: string): string {
  return JSON.stringify(name.replace(/[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069]/gu, '?'));
}

/** What the model is told in a conversation. */
import { fenced } from '../../core/text/fence.ts';
import type { AnswerStart, EarlierWords, NamedFile, SaidWords } from '../../store/conversations/answer-start.ts';
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
  return said
    .map(({ author, at, text, files }) => `# Message from ${quoted(author)}, ${at}\n${fenced(text)}${filesText(files)}`)
    .join('\n\n');
}

/** The files that came with a message, one line each; nothing without files. */
function filesText(files: readonly NamedFile[] | null): string {
  const lines = (files ?? []).map(
    ({ path, media_type, bytes }) => `- ${quoted(path)}: ${media_type.split(';')[0]}, ${bytes} bytes`,
  );
  return lines.length === 0 ? '' : `\nFiles of the workspace that came with it:\n${lines.join('\n')}`;
}

/** The beginning of a first answer, or of one that begins from the recorded words: who takes part, and what was said before. */
export function conversationText({ title, path, people }: AnswerStart, words: readonly EarlierWords[]): string {
  const heading = title === '' ? '# Conversation' : `# Conversation ${quoted(title)}`;
  const who = `Who takes part: ${people.map(quoted).join(', ')}. The whole conversation can be read as the file ${quoted(path)} with read_file, if you have that tool.`;
  if (words.length === 0) return `${heading}\n${who}`;
  const note = words[0]!.whole ? '' : ' What was said before that is left out here.';
  return `${heading}\n${who}\n\n# What was said before\nThese are the recorded words; your own answers are under your name.${note}\n${words.map(wordsText).join('\n')}`;
}

/** About 32,000 tokens of earlier words. */
export const MAX_WORDS_BYTES = 131_072;
const MAX_MESSAGE_BYTES = 32_768;

function wordsText({ role, author, content, endedAs, files }: EarlierWords): string {
  const text = cutMiddle(content, MAX_MESSAGE_BYTES, (bytes) => `\n[… ${bytes} bytes left out …]\n`);
  const how =
    role === 'assistant' && endedAs !== null && endedAs !== 'completed'
      ? ` (this answer was not finished: ${endedAs})`
      : '';
  return `${quoted(author)}${how}:\n${fenced(text)}${filesText(files)}`;
}

/** The newest of the words, as many as fit. */
export function wordsThatFit(words: readonly EarlierWords[]): readonly EarlierWords[] {
  let bytes = 0;
  const last = words.findLastIndex((one) => (bytes += Buffer.byteLength(wordsText(one))) > MAX_WORDS_BYTES);
  return last < 0 ? words : words.slice(last + 1).map((one) => ({ ...one, whole: false }));
}

/** What is left of the calls of the answer before. */
export function tracesText(lines: readonly string[]): string {
  return `# Your last answer\nThe calls that you made for it and their results are no longer in your context. This is what they were, and what you recorded (data).\n${fenced(lines.join('\n'))}`;
}

/** A name in quotes, without characters that could make it look like more than a name. As `animus.quoted_name`. */
function quoted(name: string): string {
  return JSON.stringify(name.replace(/[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069]/gu, '?'));
}

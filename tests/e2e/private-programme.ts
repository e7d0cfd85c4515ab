/** What a person keeps for themselves, and a model that keeps it, or looks for it everywhere. */
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf } from '../support/model-server/either-wire.ts';

/** Its orient hook puts all that hooks are told about the work into the context. */
export const TALKER = `
[faculty]
name = "talker"
isolation = "directory"
[faculty.orient]
command = "sh"
args = ["-c", "echo The hook was told:; cat"]
[faculty.engage]
model = "${MODEL}"
system_prompt = "You talk."
tools = ["memory_search", "memory_store", "read_file", "list_dir"]
[faculty.children]
faculties = ["helper"]
`;
export const HELPER = `
[faculty]
name = "helper"
isolation = "directory"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You help."
`;

/** What Bob keeps for himself, by where it comes from. The words are found nowhere else. */
export const SECRETS = {
  'words of a conversation': 'SECRETWORDS',
  'file of a message': 'SECRETFILE',
  'params of work': 'SECRETPARAMS',
  'steering of work': 'SECRETSTEERING',
  plan: 'SECRETPLAN',
  finding: 'SECRETFINDING',
  'global memory': 'SECRETGLOBAL',
  'memory of the project': 'SECRETPROJECT',
  'memory of the task': 'SECRETTASK',
  'memory by hand': 'SECRETBYHAND',
  'task of a child': 'SECRETCHILD',
  'result of a child': 'SECRETRESULT',
  outcome: 'SECRETOUTCOME',
  'proposed skill': 'SECRETSKILL',
  'summary of a history': 'SECRETSUMMARY',
} as const;

/** With `look around` in the conversation it looks for secrets everywhere, and says only that it did; otherwise it keeps some. */
export const programme: AnthropicProgramme = (body, _index, { json }) => {
  const messages = messagesOf(body);
  if (JSON.stringify(json).includes('You help.')) return { content: [text('SECRETRESULT')] };
  const isPrivate = !JSON.stringify(messages).includes('look around');
  // Of this answer: in a conversation, those of earlier ones stand before it.
  const isDone = messages.at(-1)!.content.some(({ type }) => type === 'tool_result');
  if (!isPrivate) {
    if (isDone) return { content: [text('I have looked.')] };
    return {
      content: [
        toolUse('l1', 'memory_search', { query: 'the colour' }),
        toolUse('l2', 'memory_search', { query: 'the colour', project: 'p' }),
        toolUse('l3', 'refresh_awareness', {}),
        toolUse('l4', 'list_dir', { path: 'chats' }),
        toolUse('l5', 'read_file', { path: 'chats/diary.chat' }),
        toolUse('l6', 'read_file', { path: 'chats/diary.files/kept.txt' }),
        toolUse('l7', 'check_child_work', {}),
        toolUse('l8', 'discover_skills', { query: 'the private way' }),
        toolUse('l9', 'activate_skill', { name: 'private-way' }),
        toolUse('l10', 'update_skill', { name: 'private-way', version: 1, instructions: 'Other.', reason: 'r' }),
      ],
    };
  }
  if (isDone) {
    if (JSON.stringify(messages).includes('"a1"')) return { content: [text('SECRETOUTCOME')] };
    return { content: [toolUse('a1', 'await_child_work', {})] };
  }
  return {
    content: [
      toolUse('m1', 'memory_store', { layer: 'global', content: 'the colour is SECRETGLOBAL' }),
      toolUse('m2', 'memory_store', { layer: 'project', project: 'p', content: 'the colour is SECRETPROJECT' }),
      toolUse('m3', 'memory_store', { layer: 'task', content: 'the colour is SECRETTASK' }),
      toolUse('m4', 'ledger_append', { type: 'finding', content: 'found SECRETFINDING' }),
      toolUse('m5', 'ledger_append', { type: 'plan', content: 'first SECRETPLAN' }),
      toolUse('m6', 'spawn_child_work', { faculty: 'helper', description: 'do SECRETCHILD' }),
      toolUse('m7', 'create_skill', {
        name: 'private-way',
        description: 'The private way of SECRETSKILL',
        instructions: 'Do it as SECRETSKILL.',
        reason: 'SECRETSKILL was said',
      }),
    ],
  };
};

/** Also as the bytes of a file are written. */
export const found = (value: unknown): string[] => {
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  return Object.values(SECRETS).filter(
    (secret) =>
      written.includes(secret) ||
      written.includes(Buffer.from(secret).toString('hex')) ||
      written.includes(Buffer.from(secret).toString('base64').slice(0, 12)),
  );
};

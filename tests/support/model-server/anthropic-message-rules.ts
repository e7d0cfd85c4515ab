import { list, Refused } from './anthropic-refused.ts';
import { mediaFault } from './media-rules.ts';

type Json = Record<string, unknown>;

/** Throws `Refused` for a conversation that the Messages API would not accept. `tools` are the names of those that the request defines. */
export function checkMessages(body: Json, tools: Set<string>): void {
  const messages = list(body['messages'], 'messages');
  if (messages.length === 0) throw new Refused('messages: at least one message is required');
  const ids = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const role = message['role'];
    if (role !== 'user' && role !== 'assistant') throw new Refused(`messages: Unexpected role "${String(role)}".`);
    const expected = index % 2 === 0 ? 'user' : 'assistant';
    if (role !== expected) {
      throw new Refused('messages: roles must alternate between "user" and "assistant", but found multiple in a row');
    }
    const blocks = blocksOf(message, index);
    checkBlocks(blocks, role, index);
    if (role === 'user') checkResults(blocks, open, index);
    else if (open.length > 0) throw new Refused('unreachable: an open exchange before an assistant message');
    open = role === 'assistant' ? callsOf(blocks, ids, index) : [];
  }
  if (open.length > 0) throw missingResults(messages.length - 1, open);
  if (ids.size > 0 && tools.size === 0)
    throw new Refused('Requests which include `tool_use` or `tool_result` blocks must define tools');
  const last = messages.at(-1);
  if (last?.['role'] === 'assistant') {
    const text = (blocksOf(last, messages.length - 1).at(-1)?.['text'] ?? '') as string;
    if (text !== text.trimEnd())
      throw new Refused('messages: final assistant content cannot end with trailing whitespace');
  }
  checkThinking(body, messages);
}

function blocksOf(message: Json, index: number): Json[] {
  const content = message['content'];
  if (typeof content === 'string') {
    if (content.trim() === '') throw new Refused(`messages.${index}: user messages must have non-empty content`);
    return [{ type: 'text', text: content }];
  }
  const blocks = list(content, `messages.${index}.content`);
  if (blocks.length === 0) throw new Refused(`messages.${index}: all messages must have non-empty content`);
  return blocks;
}

const ROLES: Readonly<Record<string, readonly string[]>> = {
  text: ['user', 'assistant'],
  image: ['user'],
  document: ['user'],
  tool_result: ['user'],
  tool_use: ['assistant'],
  thinking: ['assistant'],
  redacted_thinking: ['assistant'],
  server_tool_use: ['assistant'],
  web_search_tool_result: ['assistant'],
};

function checkBlocks(blocks: readonly Json[], role: string, index: number): void {
  for (const [at, block] of blocks.entries()) {
    const where = `messages.${index}.content.${at}`;
    const type = String(block['type']);
    if (!ROLES[type])
      throw new Refused(`${where}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
    if (!ROLES[type].includes(role))
      throw new Refused(`${where}: \`${type}\` blocks are not permitted in \`${role}\` messages`);
    checkBlock(block, type, where);
  }
}

function checkBlock(block: Json, type: string, where: string): void {
  if (type === 'text') return checkText(block, where);
  if (type === 'image' || type === 'document') return checkMedia(block, where);
  if (type === 'tool_use') {
    if (!/^[a-zA-Z0-9_-]+$/.test(String(block['id'])))
      throw new Refused(`${where}.tool_use.id: String should match pattern`);
    if (typeof block['input'] !== 'object' || block['input'] === null || Array.isArray(block['input'])) {
      throw new Refused(`${where}.tool_use.input: Input should be a valid dictionary`);
    }
    if ('invalidInput' in block) throw new Refused(`${where}.tool_use.invalidInput: Extra inputs are not permitted`);
  }
  if (type === 'thinking') {
    if (typeof block['signature'] !== 'string') throw new Refused(`${where}.thinking.signature: Field required`);
    if (typeof block['thinking'] !== 'string') throw new Refused(`${where}.thinking.thinking: Field required`);
    if (block['signature'] === 'forged') throw new Refused(`${where}: Invalid \`signature\` in \`thinking\` block`);
  }
  if (type === 'tool_result') checkResultContent(block, where);
}

function checkText(block: Json, where: string): void {
  const text = block['text'];
  if (typeof text !== 'string') throw new Refused(`${where}.text: Input should be a valid string`);
  if (text === '') throw new Refused('messages: text content blocks must be non-empty');
  if (text.trim() === '') throw new Refused('messages: text content blocks must contain non-whitespace text');
  if (!text.isWellFormed()) throw new Refused('The request body is not valid JSON: no low surrogate in string');
}

function checkMedia(block: Json, where: string): void {
  const source = block['source'] as Json | undefined;
  if (source?.['type'] !== 'base64' && source?.['type'] !== 'text')
    throw new Refused(`${where}.source: Field required`);
  if (source['type'] === 'text') {
    if (source['media_type'] !== 'text/plain') throw new Refused(`${where}.source.text.media_type: 'text/plain'`);
    return;
  }
  const [type, data] = [block['type'] as 'image' | 'document', String(source['data'])];
  const fault = mediaFault(type, String(source['media_type']), data);
  if (fault !== null) throw new Refused(`${where}.source.base64: ${fault}`);
  if (type === 'image' && data.length > 5 * 1024 * 1024) {
    throw new Refused(`${where}.source.base64: image exceeds 5 MB maximum: ${data.length} bytes`);
  }
}

function checkResultContent(block: Json, where: string): void {
  const content = block['content'];
  const parts = content === undefined ? [] : list(content, `${where}.content`);
  if (block['is_error'] === true && parts.length === 0) {
    throw new Refused(`${where}.tool_result: content cannot be empty if \`is_error\` is true`);
  }
  for (const part of parts) {
    const type = String(part['type']);
    if (!['text', 'image', 'document'].includes(type)) throw new Refused(`${where}.tool_result: unexpected ${type}`);
    checkBlock(part, type, where);
  }
}

function callsOf(blocks: readonly Json[], ids: Set<string>, index: number): string[] {
  const calls = blocks.filter((block) => block['type'] === 'tool_use').map((block) => String(block['id']));
  for (const id of calls) {
    if (ids.has(id)) throw new Refused(`messages.${index}: \`tool_use\` ids must be unique`);
    ids.add(id);
  }
  return calls;
}

function checkResults(blocks: readonly Json[], open: readonly string[], index: number): void {
  const results = blocks
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => String(block['tool_use_id']));
  const orphan = results.find((id) => !open.includes(id));
  if (orphan !== undefined) {
    throw new Refused(
      `messages.${index}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
  }
  if (new Set(results).size < results.length) {
    throw new Refused(
      `messages.${index}.content: each tool_use must have a single result. Found multiple \`tool_result\` blocks`,
    );
  }
  const missing = open.filter((id) => !results.includes(id));
  const misplaced = blocks.findIndex((block) => block['type'] === 'tool_result');
  const late =
    misplaced >= 0 && blocks.slice(0, misplaced + results.length).some((block) => block['type'] !== 'tool_result');
  // The provider does not see results after other content.
  if (missing.length > 0 || late) throw missingResults(index - 1, missing.length > 0 ? missing : open);
}

function missingResults(index: number, ids: readonly string[]): Refused {
  return new Refused(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

/** With thinking on, an open tool exchange must begin with thinking. */
function checkThinking(body: Json, messages: readonly Json[]): void {
  if ((body['thinking'] as Json | undefined)?.['type'] !== 'enabled') return;
  const isPlain = (message: Json, index: number) =>
    message['role'] === 'user' && !blocksOf(message, index).some((block) => block['type'] === 'tool_result');
  const start = messages.findLastIndex(isPlain) + 1;
  const first = messages[start];
  if (!first) return;
  const type = String(blocksOf(first, start)[0]?.['type']);
  if (type === 'thinking' || type === 'redacted_thinking') return;
  throw new Refused(
    `messages.${start}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  );
}

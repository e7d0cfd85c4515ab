/** Bounds what an MCP server sends before anything walks it: the SDK parses it several times, and so do we. */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';

export const MAX_MESSAGE_BYTES = JSON_LIMITS.mcpMessage.bytes;
/** Why a server was stopped. */
export const MESSAGE_LIMIT = `it sent a message of more than ${MAX_MESSAGE_BYTES / 2 ** 20} MiB`;

/** The code of the error that stands for an answer that was not read. */
const ANSWER_TOO_LARGE = -31_998;
/** Longer ids of requests are not answered: the answer would repeat them. */
const MAX_ID_CHARS = 256;
/** Answers to a server's requests that wait to be read by it. */
const MAX_UNREAD_ANSWERS = 200;

/** Its answers would pile up in memory. */
export class UnreadAnswers extends Error {
  constructor() {
    super('it does not read the answers to its requests');
  }
}

/** One connection's messages. */
export interface MessageGuard {
  /** To be told of each message that is sent, and of when it has been taken. Rejects with `UnreadAnswers`. */
  sends(message: JSONRPCMessage, sent: () => Promise<void>): Promise<void>;
  /** The text of a message, an error in place of an answer that is too large, or why the server has to be stopped. */
  bound(text: string): { readonly text: string } | { readonly problem: string };
  /** False for an answer that nobody waits for, and for a request that is not answered. To be told of each message. */
  takes(message: JSONRPCMessage): boolean;
  /** Forgets a request; false if it has its answer. */
  forget(id: string | number): boolean;
}

export function createMessageGuard(): MessageGuard {
  /** Requests without an answer, by id: their methods. */
  const asked = new Map<unknown, string>();
  let unread = 0;
  return {
    async sends(message, sent) {
      if ('method' in message) {
        if ('id' in message) asked.set(message.id, message.method);
        return sent();
      }
      if (unread >= MAX_UNREAD_ANSWERS) throw new UnreadAnswers();
      unread += 1;
      return sent().finally(() => (unread -= 1));
    },
    bound(text) {
      const list = [...asked.values()].includes('tools/list');
      const beyond = textBeyond(text, list ? JSON_LIMITS.mcpToolList : JSON_LIMITS.mcpMessage);
      if (beyond === null) return { text };
      const id = idIn(text);
      if (id === null || !asked.has(id)) return { problem: `it sent a message that is too large: ${beyond}` };
      const error = { code: ANSWER_TOO_LARGE, message: `its answer is too large and was not read: ${beyond}` };
      return { text: JSON.stringify({ jsonrpc: '2.0', id, error }) };
    },
    takes(message) {
      if (!('method' in message)) return asked.delete(message.id);
      return !('id' in message) || typeof message.id !== 'string' || message.id.length <= MAX_ID_CHARS;
    },
    forget: (id) => asked.delete(id),
  };
}

/** The id of an answer that is not parsed: servers write it first or last. */
function idIn(text: string): number | null {
  const first = /^\s*\{[^{[]{0,100}?"id"\s*:\s*(\d{1,15})\s*,/.exec(text.slice(0, 200));
  const last = /[\]}]\s*,[^{}[\]]{0,100}?"id"\s*:\s*(\d{1,15})[^{}[\]]{0,100}\}\s*$/.exec(text.slice(-300));
  const found = first?.[1] ?? last?.[1];
  return found === undefined ? null : Number(found);
}

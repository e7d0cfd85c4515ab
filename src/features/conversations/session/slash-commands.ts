/** The commands of a session: lines that begin with a slash. */
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, usageError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/errors/suggest.ts';
import type { Database } from '../../../store/sql/database.ts';
import { attachment } from '../../../terminal/command/attachment.ts';
import { styled } from '../../../terminal/view/output.ts';
import { bytes, counted } from '../../../terminal/view/quantities.ts';
import type { Console } from '../console/console.ts';
import { deleteConversation, invite } from '../operations/conversations.ts';
import { deleteMessage } from '../operations/messages.ts';
import { alone } from '../operations/places.ts';
import { changeConversation, whileAnswering } from '../store/conversations.ts';
import { messageDocument } from '../store/message-document.ts';
import { readConversation } from '../store/read-messages.ts';
import { readVirtualFile } from '../store/workspaces.ts';
import { type Act, askAgain, type OpenConversation, ownMessage } from './conversation.ts';
import { expandHome } from './expand-home.ts';
import { showHistory } from './message-view.ts';

/** What the commands work on. */
export interface SessionParts {
  readonly db: Database;
  readonly act: Act;
  readonly console: Console;
  readonly conversation: OpenConversation;
  readonly cwd: string;
  readonly home: string;
  readonly actor: string;
  /** Stops the answer that is being given. */
  readonly stop: () => Promise<void>;
  readonly askAgain: () => void;
  /** Denies what is asked. Errors: `usage.invalid` if nothing is asked. */
  readonly deny: (note: string) => Promise<void>;
  readonly leave: () => void;
  /** Errors: `faculty.unknown`. */
  readonly requireFaculty: (name: string) => Promise<void>;
  /** Whether thoughts are shown. */
  readonly settings: { thoughts: boolean };
}

interface SlashCommand {
  /** As `/help` prints it. */
  readonly usage: string;
  readonly does: string;
  readonly run: (parts: SessionParts, given: string) => Promise<void> | void;
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  help: { usage: '/help', does: 'this list', run: showHelp },
  attach: {
    usage: '/attach PATH',
    does: 'send a file with the next message; without PATH, list them; /attach none drops them',
    run: attach,
  },
  edit: {
    usage: '/edit [NUMBER]',
    does: 'change your last message, or the one with this number; it is answered again',
    run: beginEdit,
  },
  retry: { usage: '/retry [NUMBER]', does: 'ask for another answer', run: askRetry },
  stop: { usage: '/stop', does: 'stop the answer (Ctrl-C)', run: ({ stop }) => stop() },
  delete: {
    usage: '/delete NUMBER',
    does: 'delete a message or an answer; /delete conversation deletes all of it',
    run: remove,
  },
  history: { usage: '/history [all]', does: 'the last messages with their numbers, or all of them', run: history },
  asked: {
    usage: '/asked',
    does: 'show again what waits for a decision and was put off',
    run: ({ askAgain }) => askAgain(),
  },
  deny: {
    usage: '/deny [WHY]',
    does: 'deny the request of the answer, or decline to answer its question',
    run: ({ deny }, why) => deny(why),
  },
  export: {
    usage: '/export FILE',
    does: 'write the conversation to a new file: Markdown, or JSON Lines for *.jsonl',
    run: exportTo,
  },
  faculty: { usage: '/faculty [NAME]', does: 'show who answers; with NAME, change it from now on', run: faculty },
  while: {
    usage: '/while queue|tell',
    does: 'what happens to a message while an answer is running: answered next, or passed to that answer',
    run: changeOrder,
  },
  title: { usage: '/title TEXT', does: 'give the conversation a title', run: title },
  invite: { usage: '/invite ACTOR', does: 'let somebody take part: a login, or person:NAME', run: inviteActor },
  thoughts: { usage: '/thoughts', does: 'show or hide what the model thinks', run: toggleThoughts },
  quit: { usage: '/quit', does: 'leave (Ctrl-D, or Ctrl-C twice)', run: ({ leave }) => leave() },
};

/** The commands, without their slash. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** Whether a line is a command. Two slashes begin a message that begins with one. */
export function isSlashCommand(line: string): boolean {
  return /^\/(?!\/)/.test(line);
}

/** Runs the command. Errors: `usage.invalid` for an unknown one, and those of what it does. */
export async function runSlashCommand(parts: SessionParts, line: string): Promise<void> {
  const [, name = '', given = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const detail = `there is no command /${name}${didYouMean(name, Object.keys(COMMANDS))}; /help lists them; // begins a message with a slash`;
    throw usageError(detail);
  }
  await command.run(parts, given.trim());
}

function showHelp({ console: { output } }: SessionParts): void {
  for (const { usage, does } of Object.values(COMMANDS)) output.block(`${usage.padEnd(18)} ${does}`, '  ');
  output.block(
    'Alt-Enter, Ctrl-J, or a backslash at the end of a line: a new line. Tab: completes commands, files and numbers. Ctrl-G: edit in $EDITOR.',
    '  ',
  );
}

function attach({ console: { output }, conversation, cwd, home }: SessionParts, given: string): void {
  const path = given.replace(/^(['"])(.*)\1$/, '$2');
  if (given === 'none') conversation.files = [];
  else if (given !== '') conversation.files = [...conversation.files, attachment(expandHome(path, home), cwd)];
  for (const { name, content } of conversation.files)
    output.line(styled(`  ${name}, ${bytes(content.byteLength)}`, 'dim'));
  output.line(styled(`  ${counted(conversation.files.length, 'file')} with the next message`, 'dim'));
}

function beginEdit({ console, conversation, actor }: SessionParts, given: string): void {
  const { id, number, content } = ownMessage(conversation, given, actor);
  conversation.editing = { id, number };
  console.fill(content);
}

async function askRetry({ act, console, conversation, actor }: SessionParts, given: string): Promise<void> {
  const { id } = ownMessage(conversation, given, actor);
  const again = await askAgain(act, conversation, id);
  console.output.line(styled(`${again} · asked again`, 'dim'));
}

async function remove({ act, console: { output }, conversation, leave }: SessionParts, given: string): Promise<void> {
  const id = idOf(conversation);
  if (given === 'conversation') {
    await act(deleteConversation, alone(id));
    output.line('the conversation is deleted');
    conversation.id = null;
    return leave();
  }
  const found = conversation.messages.find(({ number }) => String(number) === given);
  if (found === undefined) throw usageError('which message? /history shows the numbers: /delete 7');
  await act(deleteMessage, { ...alone(id), message_id: found.id });
  output.line(styled(`message ${found.number} is deleted`, 'dim'));
}

async function history({ db, console: { output }, conversation, actor }: SessionParts, given: string): Promise<void> {
  showHistory(output, await readConversation(db, idOf(conversation)), { whole: given === 'all', actor });
}

async function exportTo({ db, console, conversation, cwd, home }: SessionParts, given: string): Promise<void> {
  if (given === '') throw usageError('to which file? /export talk.md');
  const id = idOf(conversation);
  const lines = async () =>
    (await readConversation(db, id)).map((message) => `${JSON.stringify(messageDocument(message))}\n`).join('');
  const text = given.endsWith('.jsonl') ? await lines() : (await readVirtualFile(db, id)).content;
  const path = resolve(cwd, expandHome(given, home));
  if (existsSync(path)) throw usageError(`${given} already exists`);
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw usageError(`${given}: ${messageOf(error)}`, error);
  }
  console.hint(`written to ${given}`);
}

async function faculty(
  { db, console: { output }, conversation, requireFaculty }: SessionParts,
  given: string,
): Promise<void> {
  if (given !== '') {
    await requireFaculty(given);
    if (conversation.id !== null) await changeConversation(db, conversation.id, { faculty: given });
    conversation.faculty = given;
  }
  output.line(styled(`${conversation.faculty} answers`, 'dim'));
}

async function changeOrder({ db, console: { output }, conversation }: SessionParts, given: string): Promise<void> {
  const way = whileAnswering.words.find((one) => one === given);
  if (way === undefined) throw usageError('/while queue, or /while tell');
  await changeConversation(db, idOf(conversation), { while_answering: way });
  output.line(styled(way === 'tell' ? 'passed to the running answer' : 'answered next', 'dim'));
}

async function title({ db, console: { output }, conversation }: SessionParts, given: string): Promise<void> {
  await changeConversation(db, idOf(conversation), { title: given });
  output.line(styled('done', 'dim'));
}

async function inviteActor({ act, console, conversation }: SessionParts, given: string): Promise<void> {
  if (given === '') throw usageError('whom? /invite person:alice');
  const { warning } = await act(invite, { ...alone(idOf(conversation)), actor: given, role: undefined });
  console.hint(`${given} takes part${warning === undefined ? '' : `; ${warning}`}`);
}

function toggleThoughts({ console: { output }, settings }: SessionParts): void {
  settings.thoughts = !settings.thoughts;
  output.line(styled(`thoughts are ${settings.thoughts ? 'shown' : 'not shown'}`, 'dim'));
}

function idOf({ id }: OpenConversation): string {
  if (id !== null) return id;
  throw usageError('there are no messages yet; the conversation starts with your first one');
}

/** `animus chat` and `animus chat send|list|show|edit|retry|delete|invite|export|import`. */

import type { Command } from 'commander';
import { ID_RULE } from '../../../core/work/id-reference.ts';
import { choice, collected, wholeNumber } from '../../../terminal/command/arguments.ts';
import { addCommand, lazily, type RunCommand } from '../../../terminal/command/command.ts';
import { participantRole } from '../store/conversations.ts';
import { EXPORT_FORMATS } from './chat-options.ts';

const MESSAGE = 'the number of the message in the conversation, as chat show prints it';
const CONVERSATION = `the conversation: ${ID_RULE}`;

/** Adds the group. */
export function addChatCommands(program: Command, run: RunCommand): void {
  const group = addCommand(program, 'chat [faculty]', {
    summary:
      'talk with a faculty: a conversation in the terminal, or one question on standard input; and commands on conversations',
    arguments: { faculty: 'who answers in a new conversation (default: assistant)' },
    examples: ['animus chat', 'animus chat writer', 'animus chat --resume', 'git diff | animus chat reviewer'],
  })
    .helpCommand(false)
    .option(
      '--resume [id]',
      `go on with a conversation: its id (at least 4 digits of it) or a part of its title; without one, the latest`,
    )
    .option('--faculty <name>', 'the same as the argument, for a faculty with the name of a command below')
    .option('--workspace <name>', 'the workspace of a new conversation', 'default')
    .option('--thoughts', 'show what the model thinks, as /thoughts does')
    .action(run(lazily(async () => (await import('./chat.ts')).chatCommand)));
  addCommand(group, 'send <text>', {
    summary: 'say something in a new or an existing conversation; prints its id',
    arguments: { text: 'what to say; - reads standard input' },
    examples: [
      'animus chat send "What does this repository do?" --wait',
      'animus chat send "And since when?" --to 5b1f0c3de2a9 --wait',
      'animus chat send "What is on this picture?" --attach picture.png --faculty assistant',
    ],
  })
    .option('--to <id>', CONVERSATION)
    .option('--faculty <name>', 'who answers in a new conversation', 'assistant')
    .option('--title <text>', 'the title of a new conversation')
    .option('--workspace <name>', 'the workspace of a new conversation', 'default')
    .option('--tell', 'in a new conversation, pass messages to an answer that is running (default: answer them next)')
    .option('--attach <file>', 'an image, PDF or text that comes with it, at most 10 MiB; repeat for more', collected)
    .option('--wait', 'wait for the answer and print it; exit 0 when it completed, else 1')
    .action(run(lazily(async () => (await import('./send.ts')).sendCommand)));
  addCommand(group, 'list', {
    summary: 'list the conversations in which you take part, newest first',
    examples: ['animus chat list', 'animus chat list --json'],
  })
    .option('--limit <n>', 'at most this many', wholeNumber(1, 1000), 20)
    .action(run(lazily(async () => (await import('./read.ts')).listCommand)));
  addCommand(group, 'show <chat>', {
    summary: 'print a conversation as the text of its .chat file, or its last messages',
    arguments: { chat: CONVERSATION },
    examples: ['animus chat show 5b1f0c3de2a9', 'animus chat show 5b1f0c3de2a9 --last 10 --json'],
  })
    .option('--last <n>', 'only the last messages, 1 to 1000', wholeNumber(1, 1000))
    .action(run(lazily(async () => (await import('./read.ts')).showCommand)));
  addCommand(group, 'edit <chat> <message> <text>', {
    summary: 'replace one of your messages; the new one is answered on a branch of its own',
    arguments: { chat: CONVERSATION, message: MESSAGE, text: 'the new text; - reads standard input' },
    examples: ['animus chat edit 5b1f0c3de2a9 1 "Only the tests, please" --wait'],
  })
    .option('--wait', 'wait for the answer and print it; exit 0 when it completed, else 1')
    .action(run(lazily(async () => (await import('./change.ts')).editCommand)));
  addCommand(group, 'retry <chat> <message>', {
    summary: 'ask for another answer to a message',
    arguments: { chat: CONVERSATION, message: 'the number of the message, or of its answer, as chat show prints it' },
    examples: ['animus chat retry 5b1f0c3de2a9 1 --wait'],
  })
    .option('--wait', 'wait for the answer and print it; exit 0 when it completed, else 1')
    .action(run(lazily(async () => (await import('./change.ts')).retryCommand)));
  addCommand(group, 'delete <chat>', {
    summary: 'delete a whole conversation, or with --message one message of it',
    arguments: { chat: CONVERSATION },
    examples: ['animus chat delete 5b1f0c3de2a9', 'animus chat delete 5b1f0c3de2a9 --message 1'],
  })
    .option('--message <number>', 'only this message or answer')
    .action(run(lazily(async () => (await import('./change.ts')).deleteCommand)));
  addCommand(group, 'invite <chat> <actor>', {
    summary: 'let somebody take part: they see everything that was said, and the work from now on',
    arguments: { chat: CONVERSATION, actor: 'a login of the database, or person:NAME' },
    examples: [
      'animus chat invite 5b1f0c3de2a9 person:alice',
      'animus chat invite 5b1f0c3de2a9 person:alice --role owner',
      'animus chat invite 5b1f0c3de2a9 bob --remove',
    ],
  })
    .option(
      '--role <role>',
      'owner or member; by default as before, and member for somebody new',
      choice(participantRole.words),
    )
    .option('--remove', 'stop them from taking part')
    .action(run(lazily(async () => (await import('./change.ts')).inviteCommand)));
  addCommand(group, 'export <chat>', {
    summary: 'write the messages of a conversation to standard output',
    arguments: { chat: CONVERSATION },
    examples: [
      'animus chat export 5b1f0c3de2a9 > talk.jsonl',
      'animus chat export 5b1f0c3de2a9 --format markdown > talk.md',
    ],
  })
    .option('--format <format>', EXPORT_FORMATS.join(' or '), choice(EXPORT_FORMATS), 'jsonl')
    .action(run(lazily(async () => (await import('./files.ts')).exportCommand)));
  addCommand(group, 'import <file>', {
    summary: 'begin a conversation with the messages of an export; the next answer begins from their words',
    arguments: { file: 'JSON Lines or Markdown as chat export writes it; - reads standard input' },
    examples: ['animus chat import talk.jsonl --faculty assistant --title "The talk"'],
  })
    .option('--faculty <name>', 'who answers', 'assistant')
    .option('--title <text>', 'its title')
    .option('--workspace <name>', 'its workspace', 'default')
    .action(run(lazily(async () => (await import('./files.ts')).importCommand)));
}

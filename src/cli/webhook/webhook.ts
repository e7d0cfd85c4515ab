/** `animus webhook add|list|rotate|remove|test|retry`: signed requests about changes of work and approvals that wait. */

import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { ID_RULE } from '../../core/work/id-reference.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../store/work/webhooks.ts';
import { choice } from '../../terminal/command/arguments.ts';
import { addCommand, addGroup, type RunCommand } from '../../terminal/command/command.ts';
import { addWebhookCommand, removeCommand, rotateCommand } from './change-webhooks.ts';
import { listCommand } from './list-webhooks.ts';
import { retryCommand, testCommand } from './webhook-deliveries.ts';

const ID = { id: `the webhook: ${ID_RULE}` };

/** Adds `animus webhook add|list|rotate|remove|test|retry`. */
export function addWebhookCommands(program: Command, run: RunCommand): void {
  const group = addGroup(
    program,
    'webhook',
    'signed requests to an address about changes of work and approvals that wait',
  );
  addCommand(group, 'add <url>', {
    summary: 'add a webhook and print its secret, with which the receiver checks signatures; it is not stored',
    arguments: { url: 'where requests are sent: an https:// URL' },
    examples: [
      'animus webhook add https://example.com/animus',
      'animus webhook add https://example.com/animus --events work.dead,approval.waiting --faculty developer --label pager',
    ],
  })
    .option(
      '--events <events>',
      `some of ${WEBHOOK_EVENTS.join(', ')}, separated by commas; default: work.completed, work.dead, work.cancelled, approval.waiting`,
      eventList,
    )
    .option('--faculty <name>', 'only about work of this faculty; can be repeated', collect)
    .option('--label <text>', 'what it is for; at most 200 characters')
    .option('--person <name>', 'only about what this person may see; for operators. Default: what you may see')
    .action(run(addWebhookCommand));
  addCommand(group, 'list', {
    summary: 'list your webhooks, or all for operators, with the deliveries that wait and that failed for good',
    examples: ['animus webhook list', 'animus webhook list --dead --json'],
  })
    .option('--dead', 'list the deliveries that failed for good instead, the newest 100')
    .action(run(listCommand));
  addCommand(group, 'rotate <id>', {
    summary: 'make a new secret for a webhook and print it; the previous one also signs for a day',
    arguments: ID,
    examples: ['animus webhook rotate 4f2a9c1d', 'animus webhook rotate 4f2a9c1d --keep-hours 0'],
  })
    .option('--keep-hours <hours>', 'how long the previous secret also signs: 0 to 168 (default: 24)', hours)
    .action(run(rotateCommand));
  addCommand(group, 'remove <id>', {
    summary: 'remove a webhook with all its deliveries',
    arguments: ID,
    examples: ['animus webhook remove 4f2a9c1d'],
  }).action(run(removeCommand));
  addCommand(group, 'test <id>', {
    summary: 'send the event webhook.test through a daemon and show what the receiver answered',
    arguments: ID,
    examples: ['animus webhook test 4f2a9c1d'],
  }).action(run(testCommand));
  addCommand(group, 'retry <id>', {
    summary: 'send the deliveries of a webhook that failed for good again, with the same ids',
    arguments: ID,
    examples: ['animus webhook retry 4f2a9c1d', 'animus webhook retry 4f2a9c1d --delivery 1234'],
  })
    .option('--delivery <number>', 'only this one, as in: animus webhook list --dead', deliveryNumber)
    .action(run(retryCommand));
}

function eventList(value: string): readonly WebhookEvent[] {
  return value.split(',').map((word) => choice(WEBHOOK_EVENTS)(word.trim()));
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function hours(value: string): number {
  if (/^\d{1,3}$/.test(value) && Number(value) <= 168) return Number(value);
  throw new InvalidArgumentError('Expected hours from 0 to 168.');
}

function deliveryNumber(value: string): string {
  if (/^\d{1,18}$/.test(value)) return value;
  throw new InvalidArgumentError('Expected the number of a delivery.');
}

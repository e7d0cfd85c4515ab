/** `animus work grants|revoke`: what operators have allowed in advance. */
import type { Command } from 'commander';
import { readGrants } from '../../store/views/inbox-view.ts';
import { revokeGrant } from '../../store/work/decide.ts';
import { wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, shortId } from '../../terminal/view/quantities.ts';

/** Adds `animus work grants|revoke`. */
export function addGrantCommands(group: Command, run: RunCommand): void {
  addCommand(group, 'grants', {
    summary: 'list the grants of --always that have not ended: calls that run without asking again',
    examples: ['animus work grants', 'animus work grants --json'],
  }).action(run(grantsCommand));
  const revoke = addCommand(group, 'revoke', {
    summary: 'end a grant; calls that have started go on',
    examples: ['animus work revoke 17'],
  });
  revoke
    .argument('<grant>', 'the number of the grant', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action(run(revokeCommand));
}

async function grantsCommand(invocation: Invocation, _options: CommonOptions): Promise<number> {
  const { output } = invocation;
  const grants = await withDatabase(invocation, readGrants);
  output.document({ grants });
  if (grants.length === 0) {
    output.note('no grants');
    return 0;
  }
  const now = Date.now();
  output.table(
    [
      { title: 'GRANT', align: 'right' },
      { title: 'FOR', shrink: true },
      { title: 'TOOL' },
      { title: 'INPUT', shrink: true },
      { title: 'ENDS' },
      { title: 'BY', shrink: true, optional: true },
    ],
    grants.map((grant) => [
      grant.id,
      grant.work_item_id === null ? grant.faculty : `item ${shortId(grant.work_item_id)}`,
      grant.tool,
      grant.pattern ?? `exactly ${grant.hash?.slice(0, 12) ?? ''}…`,
      age(grant.expires_at, now),
      grant.granted_by,
    ]),
  );
  return 0;
}

async function revokeCommand(invocation: Invocation, _options: CommonOptions, grant: number): Promise<number> {
  const { output } = invocation;
  const revoked = await withDatabase(invocation, (db) => revokeGrant(db, String(grant)));
  output.document({ grant_id: String(grant), revoked });
  if (revoked) output.line(`grant ${grant}  `, styled('revoked', 'green'));
  else output.note(`grant ${grant} had ended before`);
  return 0;
}

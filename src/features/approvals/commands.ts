/** `animus work approve|deny|answer|grants|revoke`: what an operator decides, and has allowed in advance. */
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, shortId } from '../../terminal/view/quantities.ts';
import { cut, right, showTable, spare } from '../../terminal/view/table.ts';
import { addAnswerCommand, addApproveCommand, addDenyCommand } from './decide-commands.ts';
import { GRANT, listGrants, revokeGrant } from './operations.ts';

const grants = operationCommand(listGrants, {
  usage: 'grants',
  summary: 'list the grants of --always that have not ended: calls that run without asking again',
  examples: ['animus work grants', 'animus work grants --json'],
  document: ({ result: { items } }) => ({ grants: items }),
  show(output, { result: { items } }) {
    if (items.length === 0) return output.note('no grants');
    const now = Date.now();
    showTable(output, items, [
      [right('GRANT'), ({ id }) => id],
      [cut('FOR'), ({ work_item_id: item, faculty }) => (item === null ? faculty : `item ${shortId(item)}`)],
      ['TOOL', ({ tool }) => tool],
      [cut('INPUT'), ({ pattern, hash }) => pattern ?? `exactly ${hash?.slice(0, 12) ?? ''}…`],
      ['ENDS', ({ expires_at: ends }) => age(ends, now)],
      [spare(cut('BY')), ({ granted_by: by }) => by],
    ]);
  },
});

const revoke = operationCommand(revokeGrant, {
  usage: 'revoke <grant>',
  takes: { grant: 'id' },
  summary: 'end a grant; calls that have started go on',
  arguments: { grant: 'the number of the grant' },
  examples: ['animus work revoke 17'],
  check: ({ id }) => (GRANT.test(id) ? null : `${JSON.stringify(id)} is not the number of a grant: animus work grants`),
  document: ({ result: { id, revoked } }) => ({ grant_id: id, revoked }),
  show(output, { result: { id, revoked } }) {
    if (revoked) output.line(`grant ${id}  `, styled('revoked', 'green'));
    else output.note(`grant ${id} had ended before`);
  },
});

export const approvalCommands = [addApproveCommand, addDenyCommand, addAnswerCommand, grants, revoke];

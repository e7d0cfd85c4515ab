/** Runs a command that came over a WebSocket, in one transaction that acts for its sender. */
import type { Scope } from '../../core/work/people.ts';
import { decidedBudget } from '../../operations/decided-budget.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { answerQuestion, approve, deny } from '../../store/work/decide.ts';
import { cancelWork } from '../../store/work/operate.ts';
import { sayWork } from '../../store/work/say-work.ts';
import { asVisitor, requireScope } from '../login/visitor.ts';
import type { Visit } from '../route/route.ts';
import type { Command } from './socket-messages.ts';

const SCOPES: Readonly<Record<Command['do'], Scope>> = {
  say: 'work',
  cancel: 'work',
  approve: 'decide',
  deny: 'decide',
  answer: 'decide',
};

/** Returns what the client is told. Errors: `http.forbidden`, and those of the command. */
export async function runCommand(
  { visitor, services }: Pick<Visit, 'visitor' | 'services'>,
  command: Command,
): Promise<object> {
  requireScope(visitor, SCOPES[command.do]);
  return asVisitor(services.db, visitor, (tx) => act(tx, command));
}

async function act(tx: Queryable, command: Command): Promise<object> {
  const { work } = command;
  switch (command.do) {
    case 'say': {
      const said = await sayWork(tx, work, command.text, command.wake);
      return { work_item_id: said.workItemId, message_id: said.messageId, state: said.state };
    }
    case 'cancel':
      return { state: await cancelWork(tx, work, command.reason) };
    case 'approve':
    case 'deny': {
      const { ask_id: ask, note, hash } = command;
      const decided = await (command.do === 'approve' ? approve : deny)(tx, work, { ask, note, hash });
      return { ask_id: decided, budget: await decidedBudget(tx, decided) };
    }
    case 'answer':
      return { ask_id: await answerQuestion(tx, work, command.text, command.ask_id) };
    default:
      return command satisfies never;
  }
}

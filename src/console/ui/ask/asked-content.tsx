/** What is to be decided: the change of files, the command, the question, the limit. */
import type { Approval } from '../../../client/client.ts';
import { VisibleText } from '../visible-text.tsx';
import { AskedBudget } from './asked-budget.tsx';
import { AskedSkill } from './asked-skill.tsx';
import { CallInput } from './call-input.tsx';
import type { DecidingClient } from './decide.ts';
import { callOf, textOf } from './request.ts';

interface AskedContentProps {
  readonly ask: Approval;
  readonly client: DecidingClient;
}

export function AskedContent({ ask, client }: AskedContentProps) {
  const call = callOf(ask);
  const { request, subject } = ask;
  if (call !== null) return <CallInput tool={call.tool} input={call.input} />;
  if (subject === 'budget') return <AskedBudget ask={ask} />;
  if (subject === 'skill')
    return <AskedSkill client={client} name={textOf(request['skill']) ?? ''} request={request} />;
  const words = ['question', 'reason', 'lost'].map((key) => textOf(request[key])).find((text) => text !== null);
  return words === undefined ? null : (
    <blockquote class="ask-words">
      <VisibleText text={words} kind="text" lines />
    </blockquote>
  );
}

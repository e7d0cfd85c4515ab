/** People, and the tokens and sessions with which they come. */
import { mayOperate } from '../../../model/session-state.ts';
import { S } from '../../../words/strings.ts';
import { PersonList } from './person-list.tsx';
import { TokenList } from './token-list.tsx';

export function People() {
  return (
    <>
      {mayOperate() ? <PersonList /> : <p class="faint">{S.operate.people.forOperators}</p>}
      <TokenList />
    </>
  );
}

/** An answer while it is given. */
import { api } from '../../model/api.ts';
import { hrefTo } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { Action } from '../../ui/action.tsx';
import { usd } from '../../ui/money.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { type Answer, asksOf } from './answer.ts';
import { AnswerAsks } from './answer-asks.tsx';
import type { ChatPlace } from './conversation.ts';
import { PartsView } from './parts-view.tsx';

export function AnswerView({ answer, place }: { readonly answer: Answer; readonly place: ChatPlace }) {
  const { item, parts, state, waits, turns, costUsd, isOver } = answer;
  const asks = asksOf(answer);
  return (
    <article class="chat-entry chat-answer" aria-label={S.chat.answerUnderWay} aria-busy={!isOver}>
      <header>
        <h2>{place.faculty}</h2>
        <span class={`state state-${state}`}>{state === 'cancelling' ? S.chat.stopping : S.state[state]}</span>
        {turns > 0 && <span class="faint">{S.now.turn(turns)}</span>}
        {costUsd !== null && costUsd > 0 && <span class="faint">{usd(costUsd)}</span>}
        <a href={hrefTo('work', [item])}>{S.chat.openWork}</a>
        {!isOver && may('work') && (
          <Action act={() => api.work.cancel(item, { reason: S.chat.stopReason })}>{S.chat.stop}</Action>
        )}
      </header>
      <PartsView parts={parts} item={item} isLive={!isOver} />
      {waits !== null && asks.length === 0 && (
        <p class="faint">
          <VisibleText text={`${waits.why}: ${waits.ends}`} kind="text" most={400} />
        </p>
      )}
      {asks.length > 0 && <AnswerAsks item={item} asks={asks} />}
      {!isOver && parts.length === 0 && waits === null && (
        <p class="faint">{`${S.state[state === 'cancelling' ? 'running' : state]} …`}</p>
      )}
    </article>
  );
}

/** One limit: of what, how much, and how much of it is spent, held and left. */
import type { Budget } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { usd } from '../../ui/money.ts';
import { compact } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { fillOf, isSet } from './limits.ts';

interface LimitRowProps {
  readonly budget: Budget;
  readonly onChange: () => void;
  readonly onRemove: () => void;
}

const HIGH = 0.8;

export function LimitRow({ budget, onChange, onRemove }: LimitRowProps) {
  const { unit, amount, spent, held, on_exceeded, origin, set_by, set_at, expires_at } = budget;
  const fill = fillOf(budget);
  const shown = (value: number) => amountText(value, unit);
  return (
    <li class="panel">
      <div class="section-head">
        <b class="grow">
          <LimitName budget={budget} />
        </b>
        <span class={fill !== null && fill >= 1 ? 'state-dead' : undefined}>
          {fill === null
            ? shown(amount)
            : S.item.leftOf(shown(Math.max(0, amount - (spent ?? 0) - (held ?? 0))), shown(amount))}
        </span>
      </div>
      {fill !== null && (
        <meter
          min={0}
          max={1}
          high={HIGH}
          optimum={0}
          value={Math.min(1, fill)}
          aria-label={S.money.usedOf}
          aria-valuetext={S.item.percent(fill)}
        />
      )}
      <p class="faint">
        {fill === null ? S.money.forEach : S.item.spentHeld(shown(spent ?? 0), shown(held ?? 0))}
        {on_exceeded !== null && ` · ${S.item.onExceeded[on_exceeded]}`}
        {unsureOf(budget, shown).map((text) => ` · ${text}`)}
        {budget.base !== null && budget.base !== amount && ` · ${S.money.raisedFrom(shown(budget.base))}`}
      </p>
      <div class="section-head">
        <span class="faint grow">
          {S.money.origins[origin]}
          {isSet(budget) && (
            <>
              {' '}
              (<VisibleText text={set_by} kind="text" most={100} />, <Time at={set_at} />)
            </>
          )}
          {expires_at !== null && (
            <>
              {' · '}
              {S.money.expires} <Time at={expires_at} />
            </>
          )}
        </span>
        <button type="button" class="quiet" onClick={onChange}>
          {S.money.change} …
        </button>
        {isSet(budget) && (
          <button type="button" class="quiet" onClick={onRemove}>
            {S.money.remove} …
          </button>
        )}
      </div>
    </li>
  );
}

/** `faculty engineer per day`; an item or root is a link. */
export function LimitName({ budget: { scope, subject, period } }: { readonly budget: Budget }) {
  const what = S.money.scopes[scope as keyof typeof S.money.scopes] ?? scope;
  const isId = subject !== null && /^[0-9a-f-]{36}$/.test(subject);
  return (
    <>
      {subject !== null && !isId && (scope === 'item' || scope === 'root') ? S.money.eachOf[scope] : what}{' '}
      {subject !== null &&
        (isId ? (
          <a href={hrefTo('work', [subject])} class="mono">
            …{subject.slice(-12)}
          </a>
        ) : (
          <VisibleText text={subject} kind="text" most={100} />
        ))}
      {period !== 'none' && ` ${S.money.per[period as 'day' | 'month'] ?? period}`}
    </>
  );
}

export function amountText(value: number, unit: Budget['unit']): string {
  return unit === 'usd' ? usd(value) : S.money.tokens(compact(value));
}

function unsureOf({ estimated, lost }: Budget, shown: (value: number) => string): readonly string[] {
  return [
    ...(estimated ? [S.money.remarks.estimated(shown(estimated))] : []),
    ...(lost ? [S.money.lostOf(shown(lost))] : []),
  ];
}

/** The limits that apply to an item, and how much of each is used. */
import type { BudgetLeft } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { usd } from '../../../ui/money.ts';
import { compact } from '../../../ui/numbers.ts';
import { Shown } from '../../../ui/shown.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';

export function BudgetTab({ id, revision }: { readonly id: string; readonly revision: number }) {
  const read = useLoaded((signal) => api.record.showWorkBudget(id, { signal }), [id, revision]);
  return (
    <Shown of={read}>
      {({ items }) => (
        <>
          {items.length === 0 && <p class="faint">{S.item.noBudgets}</p>}
          <ul class="plain budgets">
            {items.map((budget) => (
              <Limit key={`${budget.scope} ${budget.subject} ${budget.unit} ${budget.period}`} budget={budget} />
            ))}
          </ul>
        </>
      )}
    </Shown>
  );
}

function Limit({ budget }: { readonly budget: BudgetLeft }) {
  const { scope, subject, unit, period, amount, spent, held, left, ends, on_exceeded } = budget;
  const shown = (value: number) => (unit === 'usd' ? usd(value) : `${compact(value)} tokens`);
  return (
    <li class="panel">
      <div class="panel-head">
        <b>
          {S.item.scopes(scope, period)} <VisibleText text={subject} />
        </b>
        <span>{S.item.leftOf(shown(Math.max(left, 0)), shown(amount))}</span>
      </div>
      <meter min={0} max={amount} high={amount * 0.8} optimum={0} value={spent + held} aria-label={S.item.used} />
      <p class="faint">
        {S.item.spentHeld(shown(spent), shown(held))} · {S.item.onExceeded[on_exceeded]}
        {ends !== null && (
          <>
            {' · '}
            {S.item.beginsAgain} <Time at={ends} />
          </>
        )}
      </p>
    </li>
  );
}

/** A limit that is used up: what was spent, what the next turn may cost, and what an approval would make of it. */
import { S } from '../../words/strings.ts';
import { usd } from '../money.ts';
import { VisibleText } from '../visible-text.tsx';
import { type Asked, budgetOf, textOf } from './request.ts';

export function AskedBudget({ ask }: { readonly ask: Asked }) {
  const budget = budgetOf(ask);
  const reason = textOf(ask.request['reason']) ?? '';
  if (budget === null) return <VisibleText text={reason} kind="text" lines />;
  const { unit, amount, used, needed, step } = budget;
  const shown = (value: number) => quantity(value, unit);
  return (
    <>
      <meter class="ask-meter" min={0} max={Math.max(amount, used + needed)} high={amount} value={used}>
        {shown(used)}
      </meter>
      <dl class="ask-facts">
        <div>
          <dt>{S.ask.limit}</dt>
          <dd class="number">{shown(amount)}</dd>
        </div>
        <div>
          <dt>{S.ask.used}</dt>
          <dd class="number">{shown(used)}</dd>
        </div>
        <div>
          <dt>{S.ask.nextTurn}</dt>
          <dd class="number">{shown(needed)}</dd>
        </div>
        <div>
          <dt>{S.ask.approvalAdds}</dt>
          <dd class="number">{S.ask.raisesTo(shown(step), shown(amount + step))}</dd>
        </div>
      </dl>
      <p class="faint">
        <VisibleText text={reason} kind="text" />
      </p>
    </>
  );
}

export function quantity(value: number, unit: string): string {
  return unit === 'usd' ? usd(value) : `${value.toLocaleString('en')} ${unit}`;
}

/** Sets a limit, changes or removes one. What is said before the button is what the engine does. */
import { useState } from 'preact/hooks';
import type { Budget } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { S } from '../../words/strings.ts';
import { amountText, LimitName } from './limit-row.tsx';
import { changedOf, hasPeriod, inputOf, KINDS, type Kind, subjectOf, type Unit, whichOf } from './limits.ts';

interface DialogProps {
  readonly budget: Budget;
  readonly onClose: () => void;
}

export function SetLimit({ onClose }: Pick<DialogProps, 'onClose'>) {
  const [kind, setKind] = useState<Kind>('appliance');
  const [subject, setSubject] = useState('');
  const [period, setPeriod] = useState<'day' | 'month'>('month');
  const [unit, setUnit] = useState<Unit>('usd');
  const [amount, setAmount] = useState('');
  const [onExceeded, setOnExceeded] = useState<'wait' | 'die'>('wait');
  const act = async () => {
    const { warning } = await api.operate.setBudget(
      inputOf({ kind, subject, period, unit, amount: Number(amount), onExceeded }),
    );
    return S.money.isSet(warning ?? null);
  };
  const needs = subjectOf(kind);
  return (
    <Confirm title={S.money.setLimit} act={act} label={S.money.setLimit} onClose={onClose}>
      <label>
        {S.money.limitOf}
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {S.money.kinds[one]}
            </option>
          ))}
        </select>
      </label>
      {needs !== 'none' && (
        <label>
          {needs === 'faculty' ? S.money.facultyName : S.money.workId}
          <input value={subject} required onInput={(event) => setSubject(event.currentTarget.value)} />
        </label>
      )}
      {hasPeriod(kind) && (
        <label>
          {S.money.periodOf}
          <select value={period} onChange={(event) => setPeriod(event.currentTarget.value as 'day' | 'month')}>
            <option value="day">{S.money.per.day}</option>
            <option value="month">{S.money.per.month}</option>
          </select>
        </label>
      )}
      <label>
        {S.money.unit}
        <select value={unit} onChange={(event) => setUnit(event.currentTarget.value as Unit)}>
          <option value="usd">{S.money.units.usd}</option>
          <option value="tokens">{S.money.units.tokens}</option>
        </select>
      </label>
      <Amount unit={unit} amount={amount} onAmount={setAmount} />
      <OnExceeded value={onExceeded} onValue={setOnExceeded} />
    </Confirm>
  );
}

export function ChangeLimit({ budget, onClose }: DialogProps) {
  const [amount, setAmount] = useState(String(budget.amount));
  const [onExceeded, setOnExceeded] = useState<'wait' | 'die'>(budget.on_exceeded ?? 'wait');
  const act = async () => {
    const { warning } = await api.operate.setBudget(changedOf(budget, Number(amount), onExceeded));
    return S.money.isSet(warning ?? null);
  };
  return (
    <Confirm title={S.money.changeTitle} act={act} label={S.money.change} onClose={onClose}>
      <p>
        <LimitName budget={budget} />: {amountText(budget.amount, budget.unit)}
      </p>
      <Amount unit={budget.unit} amount={amount} onAmount={setAmount} />
      <OnExceeded value={onExceeded} onValue={setOnExceeded} />
    </Confirm>
  );
}

export function RemoveLimit({ budget, onClose }: DialogProps) {
  const act = async () => {
    const { removed } = await api.operate.removeBudget(whichOf(budget));
    return removed ? S.money.isRemoved : S.money.wasRemoved;
  };
  return (
    <Confirm title={S.money.removeTitle} act={act} label={S.money.remove} kind="danger" onClose={onClose}>
      <p>
        <LimitName budget={budget} />: {amountText(budget.amount, budget.unit)}
      </p>
      <p class="faint">{S.money.removeHint}</p>
    </Confirm>
  );
}

interface AmountProps {
  readonly unit: Unit;
  readonly amount: string;
  readonly onAmount: (amount: string) => void;
}

function Amount({ unit, amount, onAmount }: AmountProps) {
  return (
    <label>
      {S.money.amount(S.money.units[unit])}
      <input
        type="number"
        inputMode="decimal"
        min={unit === 'usd' ? '0.000001' : '1'}
        step={unit === 'usd' ? 'any' : '1'}
        value={amount}
        required
        onInput={(event) => onAmount(event.currentTarget.value)}
      />
    </label>
  );
}

type OnExceededProps = { readonly value: 'wait' | 'die'; readonly onValue: (value: 'wait' | 'die') => void };

function OnExceeded({ value, onValue }: OnExceededProps) {
  return (
    <label>
      {S.money.whenUsed}
      <select value={value} onChange={(event) => onValue(event.currentTarget.value as 'wait' | 'die')}>
        <option value="wait">{S.money.waits}</option>
        <option value="die">{S.money.dies}</option>
      </select>
    </label>
  );
}

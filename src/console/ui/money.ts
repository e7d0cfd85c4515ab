/** Costs as people read them. */
import { S } from '../words/strings.ts';

/** `$0.0042`, `$1.23`, `$1,234`; null: nobody knows it. */
export function usd(cost: number | null): string {
  if (cost === null) return S.common.noCost;
  if (cost === 0) return '$0';
  const digits = cost < 0.01 ? 4 : cost < 100 ? 2 : 0;
  const shown = cost.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return Number(shown.replaceAll(',', '')) === 0 ? '< $0.0001' : `$${shown}`;
}

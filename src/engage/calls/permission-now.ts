/** What the gates say while a call runs. */
import { stricter, type Verdict } from '../../core/permissions/verdict.ts';
import type { CallGate, GatedCall } from './gate.ts';

/**
 * What the gates say about a call that has come to something its input does not name. Nobody is asked and no hook runs: `ask` means that the model
 * has to make a call of its own, which then meets every gate.
 */
export async function permissionNow(call: GatedCall, gates: readonly CallGate[]): Promise<Verdict> {
  let verdict: Verdict = 'auto';
  for (const gate of gates) verdict = stricter(verdict, await verdictOf(call, gate));
  return verdict;
}

async function verdictOf(call: GatedCall, gate: CallGate): Promise<Verdict> {
  if (gate.when(call) === 'later') return 'ask';
  const judged = await gate.judge(call);
  switch (judged.kind) {
    case 'pass':
      return 'input' in judged ? 'ask' : 'auto';
    case 'ask':
      return 'ask';
    case 'deny':
      return 'forbid';
    default:
      return judged satisfies never;
  }
}

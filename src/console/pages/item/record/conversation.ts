/** Turns and messages in the order in which the model got them. */
import type { Focus, Mail } from '../../../../client/client.ts';
import type { TurnRow } from './rows.ts';

export type Part = { readonly is: 'turn'; readonly turn: TurnRow } | { readonly is: 'mail'; readonly mail: Mail };

/** A message comes before the turn that began with it; one that was not delivered comes at its time. */
export function conversationOf(
  turns: readonly TurnRow[],
  mail: readonly Mail[],
  foci: readonly Pick<Focus, 'id' | 'number'>[],
): readonly Part[] {
  const numbers = new Map(foci.map(({ id, number }) => [id, number]));
  const places = new Map(turns.map(({ key }, index) => [key, index]));
  const before = new Map<number, Part[]>();
  for (const one of mail) {
    const focus = one.focus_id === null ? undefined : numbers.get(one.focus_id);
    const place = places.get(`${focus}.${one.turn}`) ?? placeByTime(turns, Date.parse(one.created_at));
    before.set(place, [...(before.get(place) ?? []), { is: 'mail', mail: one }]);
  }
  return [
    ...turns.flatMap((turn, index): Part[] => [...(before.get(index) ?? []), { is: 'turn', turn }]),
    ...(before.get(turns.length) ?? []),
  ];
}

function placeByTime(turns: readonly TurnRow[], ms: number): number {
  const index = turns.findIndex(({ begunMs }) => begunMs > ms);
  return index < 0 ? turns.length : index;
}

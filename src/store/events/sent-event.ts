/** Events and hints as they are sent: names in snake_case, times as texts, the id of the position after a recorded one. */
import type { AnyEvent, Hint } from './event.ts';

/** A recorded event and its id. */
export function sentEvent(event: AnyEvent, id: string): Readonly<Record<string, unknown>> {
  const { type, atMs, ...fields } = event;
  return { ...snakeCase({ type, at: new Date(atMs).toISOString(), ...fields }), id };
}

/** A hint: `live`, without an id. */
export function sentHint({ type, live, ...fields }: Hint): Readonly<Record<string, unknown>> {
  return snakeCase({ type, live, ...fields });
}

/** Of the event's own names only: an `input` is the model's. */
export function snakeCase(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  );
}

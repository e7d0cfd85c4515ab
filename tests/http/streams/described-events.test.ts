/** Every event and error code that the server can send is in the client's types, which are made of these documents. */
import { expect, test } from 'vitest';
import type { ChatEvent, StatesEvent, WorkEvent } from '../../../src/client/client.ts';
import { ERRORS } from '../../../src/core/errors/error-table.ts';
import { errorOf } from '../../../src/core/errors/errors.ts';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { openApiDocument } from '../../../src/http/api/openapi.ts';
import { type HintType, STATES_HINTS, STREAM_HINTS } from '../../../src/http/events/stream-hints.ts';
import { publicError } from '../../../src/http/route/public-error.ts';
import type { AnyEvent } from '../../../src/store/events/event.ts';
import { WORK_HINTS } from '../../../src/store/events/hints.ts';

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, { readonly const?: string }>>;
  readonly enum?: readonly string[];
}
const { schemas } = openApiDocument(API_ROUTES, '1')['components'] as { readonly schemas: Record<string, Schema> };

/** The types of the events of a stream. Hints are `live`. */
function typesOf(stream: string, live: boolean): string[] {
  const one = schemas[stream]!.anyOf!.map(({ $ref }) => schemas[$ref!.split('/').at(-1)!]!.properties!);
  return one.filter((fields) => 'live' in fields === live).map((fields) => fields['type']!.const!);
}

test('every hint is described', () => {
  const described = ['WorkEvent', 'ChatEvent', 'StatesEvent'].flatMap((stream) => typesOf(stream, true));
  const declared = [WORK_HINTS, STREAM_HINTS, STATES_HINTS].flatMap((hints) => Object.keys(hints));
  expect([...new Set(described)].toSorted()).toEqual([...new Set(declared)].toSorted());
  expect(typesOf('ChatEvent', true)).toContain('position');
});

test('every code that is shown is described', () => {
  const codes = (Object.keys(ERRORS) as (keyof typeof ERRORS)[]).map(
    (code) => publicError(errorOf(code, {}), 'request').shown.code,
  );
  expect(schemas['ErrorCode']!.enum).toEqual([...new Set(codes)]);
});

type Sent<Event> = Event extends { readonly live: true } ? never : Event;
type Hints<Event> = Extract<Event, { readonly live: true }>;
type Equal<One, Other> = [One, Other] extends [Other, One] ? true : never;

test('the types of the client have them: this file compiles', () => {
  const recorded: Equal<Sent<WorkEvent | ChatEvent>['type'], AnyEvent['type']> = true;
  const hints: Equal<Hints<WorkEvent | ChatEvent | StatesEvent>['type'], HintType> = true;
  expect([recorded, hints]).toEqual([true, true]);
});

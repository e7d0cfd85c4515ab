import type { HttpProviderSettings } from '../provider-settings.ts';
import type { Wire } from '../wire/wire.ts';
import { ofKind, type WireName } from '../wires.ts';
import { keyHeaderOf } from './key-header.ts';

/** What the configuration of models adds to their requests. */
export interface ModelAdditions {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A wire as a provider speaks it: with the paths and the login of its kind, and the additions of the configuration. */
export function adaptWire(
  wire: Wire,
  name: WireName,
  settings: HttpProviderSettings,
  additionsOf: (model: string) => ModelAdditions,
): Wire {
  return withAdditions(withKeyHeader(ofKind(wire, name, settings), settings), settings, additionsOf);
}

function withKeyHeader(wire: Wire, settings: HttpProviderSettings): Wire {
  const login = keyHeaderOf(settings);
  return login === null
    ? wire
    : { ...wire, headers: (key, request) => ({ ...wire.headers(null, request), ...login(key) }) };
}

/** Headers and fields of the model override those of the provider, and both override the wire's own. */
function withAdditions(
  wire: Wire,
  { options = {} }: HttpProviderSettings,
  additionsOf: (model: string) => ModelAdditions,
): Wire {
  return {
    ...wire,
    headers: (key, request) => ({ ...wire.headers(key, request), ...(request && additionsOf(request.model).headers) }),
    body: (request, stream) => ({ ...wire.body(request, stream), ...options, ...additionsOf(request.model).options }),
  };
}

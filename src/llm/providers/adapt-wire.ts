import type { HttpProviderSettings } from '../provider-settings.ts';
import type { Wire } from '../wire/wire.ts';
import type { WireName } from '../wires.ts';
import { azureWire } from './azure.ts';
import { bedrockWire } from './bedrock.ts';
import { keyHeaderOf } from './key-header.ts';
import { vertexChatWire, vertexClaudeWire } from './vertex.ts';

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

function ofKind(wire: Wire, name: WireName, { kind, baseUrl, cloud }: HttpProviderSettings): Wire {
  switch (kind) {
    case 'anthropic':
    case 'openai':
    case 'ollama':
      return wire;
    case 'azure':
      return azureWire(wire, { baseUrl: new URL(baseUrl), apiVersion: cloud?.apiVersion ?? null });
    case 'bedrock':
      return bedrockWire(wire);
    case 'vertex': {
      const place = { project: cloud?.project ?? '', location: cloud?.location ?? '' };
      return name === 'anthropic-messages' ? vertexClaudeWire(wire, place) : vertexChatWire(wire, place);
    }
    default:
      return kind satisfies never;
  }
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

import type { HttpProviderSettings } from '../provider-settings.ts';
import type { Wire } from '../wire/wire.ts';
import type { WireName } from '../wires.ts';
import { azureWire } from './azure.ts';
import { bedrockWire } from './bedrock.ts';
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

/** Puts the key into another header than the wire does: Azure has its own for keys, and tokens go into `authorization`. */
function withKeyHeader(wire: Wire, { kind, keyHeader, credentials }: HttpProviderSettings): Wire {
  const header =
    keyHeader ?? (kind === 'vertex' ? 'authorization' : kind === 'azure' && !credentials ? 'api-key' : null);
  if (header === null) return wire;
  const value = (key: string) => (header === 'authorization' ? `Bearer ${key}` : key);
  return {
    ...wire,
    headers: (key, request) => ({ ...wire.headers(null, request), ...(key !== null && { [header]: value(key) }) }),
  };
}

/** Headers and fields of the model override those of the provider, and both override the wire's own. */
function withAdditions(
  wire: Wire,
  { options = {} }: HttpProviderSettings,
  additionsOf: (model: string) => ModelAdditions,
): Wire {
  return {
    ...wire,
    headers: (key, request) => ({
      ...wire.headers(key, request),
      ...(request && additionsOf(request.model).headers),
    }),
    body: (request, stream) => ({ ...wire.body(request, stream), ...options, ...additionsOf(request.model).options }),
  };
}

import type { Wire } from '../wire/wire.ts';

/** Where Vertex AI has the models. */
export interface VertexPlace {
  readonly project: string;
  readonly location: string;
}

/** True for the models that Vertex serves by Anthropic's Messages; all others by Chat Completions. */
export function isClaude(model: string): boolean {
  return /^(anthropic\/)?claude/.test(model);
}

/** Anthropic's Messages at Vertex AI: the model is in the path, and the API's version in the body. */
export function vertexClaudeWire(wire: Wire, place: VertexPlace): Wire {
  return {
    ...wire,
    path(model, stream) {
      const verb = stream ? 'streamRawPredict' : 'rawPredict';
      const name = encodeURIComponent(model.replace(/^anthropic\//, '')).replace('%40', '@');
      return `${placePath(place)}/publishers/anthropic/models/${name}:${verb}`;
    },
    modelsPath: null,
    body(request, stream) {
      const { model: _, ...body } = wire.body(request, stream);
      return { anthropic_version: 'vertex-2023-10-16', ...body };
    },
  };
}

/** Chat Completions at Vertex AI: Gemini and the models of its model garden that Google serves (`publisher/model`). */
export function vertexChatWire(wire: Wire, place: VertexPlace): Wire {
  return {
    ...wire,
    path: (model, stream) => `${placePath(place)}/endpoints/openapi${wire.path(model, stream)}`,
    modelsPath: null,
    body(request, stream) {
      const { model } = request;
      return { ...wire.body(request, stream), model: model.includes('/') ? model : `google/${model}` };
    },
  };
}

function placePath({ project, location }: VertexPlace): string {
  return `/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`;
}

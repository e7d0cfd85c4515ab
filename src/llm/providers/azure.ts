import type { Fault } from '../wire/fault.ts';
import type { Wire, WireError } from '../wire/wire.ts';

/** Where and how an Azure resource is called. */
export interface AzurePlace {
  readonly baseUrl: URL;
  readonly apiVersion: string | null;
}

/**
 * A wire at Azure OpenAI (also Azure AI Foundry). Without an API version it speaks the v1 API: the request's `model` names
 * the deployment. With one, Chat Completions have a path per deployment, and all paths have the version as a query.
 */
export function azureWire(wire: Wire, place: AzurePlace): Wire {
  return {
    ...wire,
    path: (model, stream) => azurePath(wire.path(model, stream), model, place),
    // It lists what could be deployed, not what is.
    modelsPath: null,
    classify: (error) => azureFault(wire.classify(error), error),
  };
}

/** A path of OpenAI's API at Azure. */
export function azurePath(path: string, model: string, { baseUrl, apiVersion }: AzurePlace): string {
  const perDeployment = apiVersion !== null && (path === '/chat/completions' || path === '/embeddings');
  return `${prefixFor(baseUrl, apiVersion)}${perDeployment ? `/deployments/${encodeURIComponent(model)}` : ''}${path}`;
}

/** The base URL with the API version as its query, where one is set. */
export function azureUrl(baseUrl: URL, apiVersion: string | null): URL {
  const url = new URL(baseUrl);
  if (apiVersion !== null) url.searchParams.set('api-version', apiVersion);
  return url;
}

/** Tells the wire that these are OpenAI's own models; older API versions refuse newer fields. */
export function hostOfAzure({ cloud }: { readonly cloud?: { readonly apiVersion?: string | null } }): string {
  return cloud?.apiVersion ? '' : 'openai.azure.com';
}

/** A missing deployment is a wrong name of the model, not a wrong address. */
export function azureFault(cause: Fault, { status, body }: WireError): Fault {
  const missing = status === 404 && /DeploymentNotFound|API deployment/i.test(body);
  return missing ? { ...cause, kind: 'model_not_found', retryable: false } : cause;
}

/** People give the address of the resource, or more of the path. */
function prefixFor({ pathname }: URL, apiVersion: string | null): string {
  const path = pathname.replace(/\/+$/, '');
  if (apiVersion === null && path.endsWith('/v1')) return '';
  const version = apiVersion === null ? '/v1' : '';
  return path.endsWith('/openai') ? version : `/openai${version}`;
}

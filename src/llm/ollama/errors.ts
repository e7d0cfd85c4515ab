import type { FailureKind } from '../client.ts';
import { saysContextOverflow } from '../wire/context-overflow.ts';
import { type Fault, fault } from '../wire/fault.ts';
import { asObject, asString, parseJson } from '../wire/loose-json.ts';
import { kindOfStatus } from '../wire/status-kind.ts';
import { type WireError, whereOf } from '../wire/wire.ts';

/** Classifies an error of Ollama: `{ "error": "…" }`, also in mid-stream. */
export function ollamaFault(arrived: WireError): Fault {
  const { status, body } = arrived;
  const error = asObject(parseJson(body))?.['error'];
  const message = asString(error) ?? asString(asObject(error)?.['message']) ?? (body.trim() || 'no message');
  const kind = kindOf(status, message);
  return fault(kind, `${whereOf(arrived)}: ${message}`, { httpStatus: status });
}

function kindOf(status: number | null, message: string): FailureKind {
  if (/model .{0,200}not found|pull model manifest/i.test(message)) return 'model_not_found';
  if (saysContextOverflow(message)) return 'context_overflow';
  return kindOfStatus(status);
}

/** JSON merge patch (RFC 7396). Pure. */
import { isObject } from '../../core/text/json-values.ts';

type Json = unknown;

/**
 * The target with the patch applied: members of the patch replace those of the target, objects are merged, null removes a member, and a list
 * is replaced as a whole. Key order: that of the target, then new members. Neither argument is changed.
 */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  // Defines own properties: a member named __proto__ is data.
  return Object.fromEntries(merged);
}

import type { HttpProviderSettings } from '../provider-settings.ts';

/**
 * Puts the key into another header than the wire does: Azure has its own for keys, and tokens go into `authorization`. Null: the wire's
 * own header is right.
 */
export function keyHeaderOf({
  kind,
  keyHeader,
  credentials,
}: Pick<HttpProviderSettings, 'kind' | 'keyHeader' | 'credentials'>):
  | ((key: string | null) => Record<string, string>)
  | null {
  const header =
    keyHeader ?? (kind === 'vertex' ? 'authorization' : kind === 'azure' && !credentials ? 'api-key' : null);
  if (header === null) return null;
  return (key): Record<string, string> => {
    if (key === null) return {};
    return { [header]: header === 'authorization' ? `Bearer ${key}` : key };
  };
}

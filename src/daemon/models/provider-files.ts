/** The files that providers of the configuration name: scripts and certificates. The daemon reads them when it starts, and does not start without them. */
import type { Config } from '../../core/config/config.ts';
import type { ProviderConfig } from '../../core/config/providers/provider.ts';
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Problem } from '../../core/errors/problem.ts';
import { readSmallFile } from '../../core/files/regular-file.ts';
import { loadScript } from '../../llm/scripted/script.ts';

/** The problems of these files; a daemon does not start with one of them. */
export function providerFileProblems(config: Pick<Config, 'providers'>): Problem[] {
  return [...config.providers.values()].flatMap((provider) => {
    try {
      read(provider);
      return [];
    } catch (error) {
      if (!isAnimusError(error)) throw error;
      const { code, message, details } = error;
      const { file, key } = details;
      return [{ code, file: textOr(file, ''), line: null, key: textOr(key, null), message, details }];
    }
  });
}

function read(provider: ProviderConfig): void {
  if (provider.kind === 'scripted') loadScript(provider.script);
  else if (provider.caFile !== null) readCertificates(provider.caFile);
}

/** Errors: `config.unreadable`. */
export function readCertificates(file: string): string {
  try {
    const text = readSmallFile(file);
    if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it contains no certificate in PEM format');
    return text;
  } catch (error) {
    throw new AnimusError('config.unreadable', { file, detail: messageOf(error) }, { cause: error });
  }
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other;
}

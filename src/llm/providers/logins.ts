import type { Clock } from '../../core/lifecycle/clock.ts';
import type { ProcessHost } from '../../process/process-host.ts';
import type { HttpProviderSettings } from '../provider-settings.ts';
import { keyLogin, type Login } from '../transport/login.ts';
import { commandLogin } from './command-login.ts';

/** The logins of all providers of a process. */
export interface Logins {
  /** Providers with the same command share its credential, so it never runs twice at a time. */
  of(settings: HttpProviderSettings): Login;
}

/** Creates the table. Throws a TypeError if a provider has a command and `processes` is missing, which is a bug. */
export function createLogins(clock: Clock, processes: Pick<ProcessHost, 'run'> | undefined): Logins {
  const byCommand = new Map<string, Login>();
  return {
    of({ apiKey, awsKeys, credentials }) {
      if (!credentials) return keyLogin(apiKey, awsKeys);
      if (!processes) throw new TypeError('a credential command needs a process host');
      const key = JSON.stringify([credentials.directory, credentials.command, credentials.env]);
      const login = byCommand.get(key) ?? commandLogin(credentials, processes, clock);
      byCommand.set(key, login);
      return login;
    },
  };
}

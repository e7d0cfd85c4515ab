/** Checks whether each service of the appliance has the secrets that the configuration needs. Secrets themselves are not read. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../../core/config/config.ts';
import { secretVariables } from '../../../core/config/secret-variables.ts';
import type { Environment } from '../../../core/config/source/environment.ts';
import type { SecretUser } from '../../../core/config/source/section.ts';
import { messageOf } from '../../../core/errors/errors.ts';
import { readSmallFile } from '../../../core/files/regular-file.ts';
import { type Finding, fine, problem } from '../../../terminal/view/finding.ts';

/** The names of the secrets that each service was given, as docker/animus/prepare-secrets.js wrote them down. */
const GIVEN = '.given.json';
const givenNames = z.record(z.string(), z.array(z.string()));

/** Which of them is which process of animus. */
const SERVICES: Readonly<Record<string, SecretUser>> = { animus: 'daemon', api: 'api' };

/**
 * A problem for each service that lacks a secret which it needs and another service has; nothing outside of the appliance. A secret that no
 * service has is not a problem here: what needs one has a check of its own.
 */
export function examineSecrets(config: Config, env: Environment): readonly Finding[] {
  const check = 'secrets';
  const directory = env['ANIMUS_SECRETS'] || '/run/secrets';
  try {
    const given = readGiven(directory);
    if (given === null) return [];
    const lacking = Object.entries(SERVICES).flatMap(([service, user]) => lackedBy(service, user, given, config));
    if (lacking.length > 0) return lacking.map((detail) => problem(check, detail, AGAIN));
    const services = Object.entries(given).filter(([service]) => service in SERVICES);
    return [fine(check, services.map(([service, names]) => `${service} has ${names.join(', ')}`).join('; '))];
  } catch (error) {
    return [problem(check, `${join(directory, GIVEN)} cannot be read: ${messageOf(error)}`, AGAIN)];
  }
}

const AGAIN = 'run: docker compose up -d --force-recreate, which gives the secrets again';

function lackedBy(
  service: string,
  user: SecretUser,
  given: Readonly<Record<string, readonly string[]>>,
  config: Config,
): string[] {
  const others = Object.entries(given).filter(([name]) => name in SERVICES && name !== service);
  return secretVariables(config)
    .filter(({ users, name }) => users.includes(user) && !given[service]?.includes(name.toLowerCase()))
    .flatMap(({ name, purpose }) => {
      const [owner] = others.find(([, names]) => names.includes(name.toLowerCase())) ?? [];
      if (owner === undefined) return [];
      return [`the service ${service} lacks ${name}, which it needs for ${purpose}; the service ${owner} has it`];
    });
}

/** Null where there is no such file. */
function readGiven(directory: string): z.infer<typeof givenNames> | null {
  try {
    return givenNames.parse(JSON.parse(readSmallFile(join(directory, GIVEN))));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

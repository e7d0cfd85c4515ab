import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../../src/core/config/read-config.ts';
import { parseEngineAddress } from '../../../../src/core/config/sections/engine-address.ts';

function read(text: string, env: Record<string, string> = {}) {
  const readSecretFile = () => ({ ok: false as const, detail: 'unused' });
  return readConfig({ env, toml: { path: '/etc/animus.toml', text }, userHome: '/home/x', cwd: '/', readSecretFile });
}

const endpointOf = (text: string, env: Record<string, string> = {}) => {
  const { sandbox, origins } = read(text, env);
  return [sandbox.endpoint.text, origins.get('sandbox.endpoint')];
};

describe('the address of the engine', () => {
  test('comes from AGENT_SANDBOX_ENDPOINT, else from the file, else from DOCKER_HOST', () => {
    const file = '[sandbox]\nendpoint = "tcp://b:1"';
    const env = { DOCKER_HOST: 'tcp://c:1' };
    expect(endpointOf(file, { ...env, AGENT_SANDBOX_ENDPOINT: 'tcp://a:1' })).toEqual([
      'tcp://a:1',
      'environment AGENT_SANDBOX_ENDPOINT',
    ]);
    expect(endpointOf(file, env)).toEqual(['tcp://b:1', '/etc/animus.toml:2']);
    expect(endpointOf('', env)).toEqual(['tcp://c:1', 'environment DOCKER_HOST']);
    expect(endpointOf('')).toEqual(['unix:///var/run/docker.sock', 'default']);
  });

  test('that animus was given for itself must be one; DOCKER_HOST may be meant for others', () => {
    expect(() => read('[sandbox]\nendpoint = "ssh://box"')).toThrow(
      '/etc/animus.toml:2: sandbox.endpoint: expected the address of a Docker engine',
    );
    expect(() => read('', { AGENT_SANDBOX_ENDPOINT: 'box' })).toThrow(
      'AGENT_SANDBOX_ENDPOINT: expected the address of a Docker engine',
    );
    expect(read('', { DOCKER_HOST: 'ssh://box' }).sandbox.endpoint).toEqual({ kind: 'unsupported', text: 'ssh://box' });
  });

  test('uses TLS with certificates of the file, or of Docker’s variables', () => {
    const certificates = (text: string, env = {}) => {
      const { endpoint } = read(text, { DOCKER_HOST: 'tcp://a', ...env }).sandbox;
      return endpoint.kind === 'tcp' ? [endpoint.port, endpoint.certificates] : null;
    };
    expect(certificates('')).toEqual([2375, null]);
    expect(certificates('[sandbox]\ncertificates = "tls"', { DOCKER_TLS_VERIFY: '1' })).toEqual([2376, '/etc/tls']);
    expect(certificates('', { DOCKER_TLS_VERIFY: '1' })).toEqual([2376, '/home/x/.docker']);
    expect(certificates('', { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/tls' })).toEqual([2376, '/tls']);
    expect(certificates('', { DOCKER_CERT_PATH: '/tls' })).toEqual([2375, null]);
  });

  test.each([
    ['unix:///run/docker.sock', { kind: 'unix', path: '/run/docker.sock' }],
    ['tcp://[::1]:2376', { kind: 'tcp', host: '::1', port: 2376 }],
    ['tcp://box/', { kind: 'tcp', host: 'box', port: 2375 }],
    ['unix://relative', null],
    ['tcp://', null],
    ['tcp://user:pass@box', null],
    ['tcp://box/path', null],
    ['http://box', null],
    ['npipe:////./pipe/docker_engine', null],
  ])('%s', (text, expected) => {
    const parsed = parseEngineAddress(text);
    if (expected === null) expect(parsed).toBe(null);
    else expect(parsed).toMatchObject(expected);
  });
});

test('an image and a runtime are names', () => {
  expect(() => read('[sandbox]\nimage = "--privileged"')).toThrow('sandbox.image: expected the name of an image');
  expect(() => read('[sandbox]\nruntime = "a b"')).toThrow('sandbox.runtime: expected the name of a runtime');
  expect(read('[sandbox]\nimage = "registry:5000/a/b@sha256:00"').sandbox.image).toBe('registry:5000/a/b@sha256:00');
});

/** Where clients learn which issuer makes tokens (RFC 9728). */
import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';
import { startIssuer } from '../../support/oidc-issuer.ts';
import { closed, connected } from '../../support/raw-socket.ts';

const { start } = testApi();
const settings = { allowedHosts: ['api.example.com'], allowedOrigins: [], requestsPerMinute: 1000 };

async function raw(url: string, path: string, host: string): Promise<string> {
  const socket = await connected(url);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  return closed(socket);
}

test('a refusal names the document, and the document the issuer', async () => {
  const issuer = await startIssuer();
  const { url } = await start({ settings: { ...settings, behindTls: true, oidc: issuer.config() } });
  await issuer.stop();
  for (const resource of ['/api/v1', '/api/v1/mcp']) {
    const refused = await raw(url, resource === '/api/v1' ? '/api/v1/work' : resource, 'api.example.com');
    if (resource === '/api/v1')
      expect(refused).toContain(
        'www-authenticate: Bearer realm="animus", resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/api/v1"',
      );
    const document = await raw(url, `/.well-known/oauth-protected-resource${resource}`, 'api.example.com');
    expect(JSON.parse(document.slice(document.indexOf('{'), document.lastIndexOf('}') + 1))).toMatchObject({
      resource: `https://api.example.com${resource}`,
      authorization_servers: [issuer.config().issuer],
      bearer_methods_supported: ['header'],
    });
  }
  const mcp = await fetch(`${url}/api/v1/mcp`, { method: 'POST' });
  expect(mcp.headers.get('www-authenticate')).toMatch(/oauth-protected-resource\/api\/v1\/mcp"$/);
  expect(await raw(url, '/.well-known/oauth-protected-resource', 'evil.example')).toMatch(/^HTTP\/1.1 421/);
  expect(await raw(url, '/.well-known/oauth-protected-resource/other', 'localhost')).toMatch(/^HTTP\/1.1 404/);
  expect(await raw(url, '/.well-known/oauth-protected-resource', 'localhost')).toContain(
    '"resource":"https://localhost/api/v1"',
  );
});

test('without an issuer there is none', async () => {
  const { url } = await start({ settings });
  expect((await fetch(`${url}/.well-known/oauth-protected-resource`)).status).toBe(404);
  const refused = await fetch(`${url}/api/v1/work`);
  expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="animus"');
});

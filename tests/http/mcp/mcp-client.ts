/** The official client of MCP, and how tests read its results. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';

/** A client of the MCP server at this API, with this token. */
export async function connectHttp(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/v1/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

/** The JSON of a result; an error as its text. */
export async function use(
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
): Promise<ReturnType<typeof JSON.parse>> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const texts = content.map((block) => (block.type === 'text' ? block.text : ''));
  return isError === true ? texts[0] : JSON.parse(texts[1]!);
}

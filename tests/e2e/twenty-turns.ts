/** The programmes of a model that works for many turns, and a site with the faculty that it plays. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSite, type Site } from '../support/daemon-process.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';

/** The turns of `programme` that call tools. */
export const TURNS = 20;

/** Two calls with effects and a ledger entry in each turn; every fifth turn closes a block. */
export const programme: AnthropicProgramme = (body) => {
  const turn = nextTurn(body);
  if (turn > TURNS) return { content: [text('All twenty turns are done.')] };
  return {
    content: [
      text(`This is turn ${turn}.`),
      toolUse(`a${turn}`, 'bash', { command: `echo a${turn} >> ./effects` }),
      toolUse(`b${turn}`, 'bash', { command: `echo b${turn} >> ./effects` }),
      toolUse(`l${turn}`, 'ledger_append', { type: turn % 5 === 0 ? 'step' : 'finding', content: `turn ${turn}` }),
    ],
  };
};

/** The same with calls that are safe to repeat, so that no call is ever in doubt. The first two turns only read. */
export const idempotentProgramme: AnthropicProgramme = (body) => {
  const turn = nextTurn(body);
  if (turn > 10) return { content: [text('All done.')] };
  return {
    content: [
      text(`This is turn ${turn}.`),
      toolUse(`r${turn}`, 'list_dir', { path: '.' }),
      ...(turn <= 2
        ? []
        : [
            toolUse(`l${turn}`, 'ledger_append', {
              type: turn % 3 === 0 ? 'step' : 'finding',
              content: `turn ${turn}`,
            }),
          ]),
    ],
  };
};

/** One more than the newest turn in the request: closed blocks are stubs, but contain their last entry. */
function nextTurn(body: Record<string, unknown>): number {
  const turns = [...JSON.stringify(body['messages']).matchAll(/(?:This is )?turn (\d+)/g)].map((match) =>
    Number(match[1]),
  );
  return Math.max(0, ...turns) + 1;
}

/** A site with one faculty, smith, whose workspace is its own directory. Its foci know nothing of others: runs are compared. */
export function workshop(server: ModelServer, databaseUrl: string): Site {
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl,
    config: '[daemon]\nlease_seconds = 20\npoll_seconds = 0.5\n',
    faculties: {},
  });
  const workspace = join(site.directory, 'faculties');
  writeFileSync(
    join(workspace, 'smith.toml'),
    `[faculty]\nname = "smith"\npermissions.bash = "auto"\ndescription = "Acts"\nworkspace = "${workspace}"\n[faculty.engage]\nmodel = "${MODEL}"\n` +
      `system_prompt = "Act."\ntools = ["bash", "list_dir"]\nbash_isolation = "none"\n[faculty.awareness]\nenabled = false\n[faculty.recover]\nmax_attempts = 100\n`,
  );
  return site;
}

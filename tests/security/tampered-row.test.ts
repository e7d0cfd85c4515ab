import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { at, bash, hasNamespaces, startSite } from './scripted-focus.ts';

const target = testDatabase();

test.skipIf(!hasNamespaces)(
  'no row of the database gives a resumed focus isolation, hooks, tools, a workspace or a directory',
  async () => {
    const site = await startSite(target, {
      faculty: 'workspace = "../work"',
      tools: ['bash'],
      files: {
        'work/here': 'here',
        'evil.sh': '#!/bin/sh\ntouch "$(dirname "$0")/hook-ran"\n',
        'outside/there': 'there',
      },
      calls: [
        ['wait_until', { seconds: 3600, reason: 'it is tampered with' }],
        bash('ls; grep -l VITEST /proc/[0-9]*/environ; cat ../home/embedded.json; pwd'),
        ['write_file', { path: 'forbidden.txt', content: 'x' }],
      ],
    });
    mkdirSync(at(site, 'home'), { recursive: true });
    writeFileSync(at(site, 'home/embedded.json'), 'hunter2');
    const id = await site.submit();
    await site.until(id, 'waiting');
    const hook = { command: at(site, 'evil.sh'), args: [], timeoutSeconds: 10 };
    await site.db.query(
      `update animus.foci set directory = $2,
            faculty_snapshot = faculty_snapshot || jsonb_build_object('workspace', $2::text, 'repo', $2::text, 'isolation', 'worktree', 'consolidate', $3::jsonb, 'orient', $3::jsonb)
              || jsonb_build_object('engage', (faculty_snapshot -> 'engage') || '{"bashIsolation": "none", "tools": ["bash", "write_file"], "toolTimeoutSeconds": 1}')
      where work_item_id = $1`,
      [id, at(site, 'outside'), JSON.stringify(hook)],
    );
    await site.db.query(`select animus.resolve_wait($1, 'call_1_1', '{"due": true}')`, [id]);

    const { outputs } = await site.until(id, 'completed', 'dead');

    expect(outputs[1]).toContain('here');
    expect(outputs[1]).not.toContain('there');
    expect(outputs[1]).not.toContain('hunter2');
    expect(outputs[1]).not.toMatch(/^\/proc\/\d+\/environ$/m);
    expect(outputs[1]).toContain(at(site, 'work'));
    expect(outputs[2]).toContain('there is no tool named "write_file"');
    expect(existsSync(at(site, 'hook-ran'))).toBe(false);
    expect(readdirSync(at(site, 'outside'))).toEqual(['there']);
  },
);

import { linkSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { at, bash, hasNamespaces, type Site, startSite } from './scripted-focus.ts';

const target = testDatabase();
const patch = (text: string) => ({ patch: `*** Begin Patch\n${text}\n*** End Patch` });
const FILES = {
  'faculties/hooks/check.sh': '#!/bin/sh\nexit 0\n',
  'faculties/prompts/p.md': 'Prompt.\n',
  'scripts/hook.sh': '#!/bin/sh\n. "$(dirname "$0")/part.sh"\n',
  'scripts/part.sh': 'exit 0\n',
  'skills/notes/SKILL.md': '---\nname: notes\ndescription: Notes.\n---\n\nWrite.\n',
  'ordinary/faculties/copy.toml': 'x\n',
};
const HOOKS = '[faculty.orient]\ncommand = "hooks/check.sh"\n[faculty.consolidate]\ncommand = "../scripts/hook.sh"\n';

describe('a focus cannot write files that the daemon loads or runs, whatever its workspace is', () => {
  test('with file tools: not through links, patches or new names', async () => {
    const site = await startSite(target, {
      files: FILES,
      tables: HOOKS,
      skills: true,
      calls: [
        ['write_file', { path: 'skills/notes/SKILL.md', content: 'x' }],
        ['write_file', { path: 'skills/evil/SKILL.md', content: 'x' }],
        ['apply_patch', patch('*** Update File: ordinary/faculties/copy.toml\n*** Move to: skills/evil/SKILL.md')],
        ['write_file', { path: 'faculties/new.toml', content: 'x' }],
        ['write_file', { path: 'faculties/new/deep/er.toml', content: 'x' }],
        ['write_file', { path: 'animus.toml', content: 'x' }],
        ['write_file', { path: 'script.toml', content: 'x' }],
        ['write_file', { path: 'link/hooks/check.sh', content: 'x' }],
        ['edit_file', { path: 'scripts/part.sh', old_string: 'exit', new_string: 'evil' }],
        ['edit_file', { path: 'prompt-link', old_string: 'Prompt', new_string: 'evil' }],
        ['apply_patch', patch('*** Delete File: faculties/hooks/check.sh')],
        ['apply_patch', patch('*** Update File: ordinary/faculties/copy.toml\n*** Move to: faculties/moved.toml')],
        ['apply_patch', patch('*** Update File: scripts/hook.sh\n*** Move to: elsewhere.sh')],
        ['write_file', { path: 'ordinary/faculties/copy.toml', content: 'changed', overwrite: true }],
        ['read_file', { path: 'faculties/hooks/check.sh' }],
      ],
    });
    symlinkSync('faculties', at(site, 'link'));
    symlinkSync('faculties/prompts/p.md', at(site, 'prompt-link'));
    const before = contents(site);
    const { outputs, error } = await site.run();
    expect(error).toBeNull();
    for (const output of outputs.slice(0, 13)) expect(output).toContain('is read-only for agents');
    expect(contents(site)).toEqual(before);
    expect(readFileSync(at(site, 'ordinary/faculties/copy.toml'), 'utf8')).toBe('changed');
    expect(outputs[14]).toContain('exit 0');
  });

  test.skipIf(!hasNamespaces)(
    'with commands: neither in place, nor by moving directories, nor with links or mounts',
    async () => {
      const site = await startSite(target, {
        files: FILES,
        tables: HOOKS,
        skills: true,
        calls: [
          bash(`for f in animus.toml script.toml faculties/*.toml faculties/hooks/check.sh faculties/prompts/p.md scripts/part.sh scripts/hook.sh skills/notes/SKILL.md linked
          do echo evil >> $f; sed -i s/.*/evil/ $f; rm -f $f; mv $f x; ln -f $f y && echo evil >> y; chmod 777 $f; done
          touch faculties/new.toml scripts/new.sh; mkdir -p skills/evil; echo evil > skills/evil/SKILL.md; mv skills s3; rm -rf skills; ln -sfn /tmp faculties; mv -T ordinary/faculties faculties`),
          bash(`mv faculties f2; mkdir faculties; mv scripts s2; mv "$PWD" ../elsewhere
          unshare -Urm sh -c 'umount faculties; umount -l faculties; mount -o remount,rw faculties; mount -o remount,rw,bind faculties; echo evil > faculties/new.toml'
          umount faculties; mount -o remount,rw,bind faculties; mount --bind ordinary/faculties faculties; mount --move ordinary faculties
          mkdir m; mount --bind . m && echo evil > m/faculties/new.toml; mount --rbind . m && echo evil > m/faculties/new2.toml; echo end`),
          bash(
            'echo changed > ordinary/faculties/copy.toml; cp -r faculties mine; echo mine > mine/new.toml; cat mine/new.toml',
          ),
        ],
      });
      linkSync(at(site, 'faculties/prompts/p.md'), at(site, 'faculties/linked'));
      const before = contents(site);
      const { outputs } = await site.run();
      expect(outputs[1]).toContain('end');
      expect(contents(site)).toEqual(before);
      expect(readdirSync(at(site, 'skills'))).toEqual(['notes']);
      expect(outputs[2]).toContain('mine');
      expect(readFileSync(at(site, 'ordinary/faculties/copy.toml'), 'utf8')).toBe('changed\n');
    },
  );
});

function contents(site: Site): Readonly<Record<string, string>> {
  const names = ['animus.toml', 'script.toml', `faculties/${site.faculty}.toml`, ...Object.keys(FILES).slice(0, 5)];
  return Object.fromEntries(names.map((name) => [name, readFileSync(at(site, name), 'utf8')]));
}

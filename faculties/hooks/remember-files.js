#!/usr/bin/env -S -i PATH=${PATH} HOME=${HOME} LANG=${LANG} ANIMUS_FOCUS_DIR=${ANIMUS_FOCUS_DIR} ANIMUS_SPAWN_ID=${ANIMUS_SPAWN_ID} node
// An orient hook. It lists the files of the workspace for the model and saves their hashes for verify-change.js.
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { hashFiles } = require('./workspace-files.js');

const MAX_LISTED = 200;

const { faculty } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const hashes = hashFiles(faculty.workspace);
writeFileSync(join(process.env.ANIMUS_FOCUS_DIR, 'files-before.json'), JSON.stringify(hashes));

const names = Object.keys(hashes).sort();
const rest = names.length - MAX_LISTED;
const list = names.slice(0, MAX_LISTED).join('\n') + (rest > 0 ? `\n… and ${rest} more` : '');
console.log(JSON.stringify({ context: names.length ? `Files in the workspace:\n${list}` : 'The workspace is empty.' }));

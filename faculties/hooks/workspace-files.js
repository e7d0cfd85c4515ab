// Used by remember-files.js and verify-change.js: every file of a workspace with the hash of its content.
const { createHash } = require('node:crypto');
const { readdirSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');

const SKIPPED = new Set(['.git', 'node_modules']);
const MAX_FILES = 5000;

exports.hashFiles = function hashFiles(root) {
  const hashes = {};
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      if (!entry.isFile()) continue;
      if (Object.keys(hashes).length >= MAX_FILES) throw new Error(`more than ${MAX_FILES} files below ${root}`);
      hashes[relative(root, path)] = createHash('sha256').update(readFileSync(path)).digest('hex');
    }
  }
  return hashes;
};

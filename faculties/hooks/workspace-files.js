// Shared by the hooks: reads files of a workspace, which an agent may have made links, pipes or endless.
const { createHash } = require('node:crypto');
const { closeSync, constants, fstatSync, openSync, readdirSync, readSync } = require('node:fs');
const { join, relative } = require('node:path');

const SKIPPED = new Set(['.git', 'node_modules']);
const MAX_FILES = 5000;
/** Of a larger file, size and time of the last change stand for the content. */
const MAX_HASHED = 32 * 1024 * 1024;
const MAX_READ = 1024 * 1024;

/** Every file of a workspace with the hash of its content. */
exports.hashFiles = function hashFiles(root) {
  const hashes = {};
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      if (!entry.isFile()) continue;
      if (Object.keys(hashes).length >= MAX_FILES) throw new Error(`more than ${MAX_FILES} files below ${root}`);
      const hash = hashOf(path);
      if (hash !== null) hashes[relative(root, path)] = hash;
    }
  }
  return hashes;
};

/** The text of a regular file of at most 1 MiB, links not followed; null for anything else. */
exports.readText = function readText(path) {
  return withFile(path, (file, { size }) => (size > MAX_READ ? null : contentOf(file, size).toString('utf8')));
};

function hashOf(path) {
  return withFile(path, (file, { size, mtimeMs }) => {
    const hash = createHash('sha256');
    return hash.update(size > MAX_HASHED ? `${size} ${mtimeMs}` : contentOf(file, size)).digest('hex');
  });
}

function withFile(path, use) {
  let file;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    return stats.isFile() ? use(file, stats) : null;
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes(error.code)) return null; // gone, a link, or a socket by now
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function contentOf(file, size) {
  const content = Buffer.alloc(size);
  return content.subarray(0, readSync(file, content, 0, size, 0));
}

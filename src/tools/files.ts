/** The file tools, all restricted to the workspace. */

import { editFileTool } from './files/edit-file.ts';
import { listDirTool } from './files/list-dir.ts';
import { applyPatchTool } from './files/patch/apply-patch.ts';
import { readFileTool } from './files/read-file.ts';
import { removeFileTool } from './files/remove-file.ts';
import { globTool } from './files/search/glob.ts';
import { grepTool } from './files/search/grep.ts';
import { writeFileTool } from './files/write-file.ts';
import type { Tool } from './tool.ts';

/** read_file, write_file, edit_file, apply_patch, remove_file, list_dir, glob, grep. */
export const FILE_TOOLS: readonly Tool[] = [
  readFileTool,
  writeFileTool,
  editFileTool,
  applyPatchTool,
  removeFileTool,
  listDirTool,
  globTool,
  grepTool,
];

import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'

const skipped = new Set(['node_modules', 'dist'])
const maxDepth = 8
const maxFolders = 5000

/** Every agent file at or below the given paths. A file given directly may have any name. */
export async function findAgentFiles(paths: readonly string[], cwd: string) {
  /** Absolute, in a stable order. */
  const files = new Set<string>()
  /** Given paths that do not exist, or folders that cannot be read. */
  const missing: string[] = []
  for (const path of paths) {
    const full = resolve(cwd, path)
    const stats = await stat(full).catch(() => undefined)
    const found = stats?.isDirectory() ? await filesUnder(full) : stats === undefined ? null : [full]
    if (found === null) missing.push(full)
    for (const file of found ?? []) files.add(file)
  }
  return { files: [...files], missing }
}

const isAgentFile = (name: string): boolean => /^(?:agent|.+\.agent)\.ya?ml$/.test(name)

/** Null when the folder itself cannot be read. */
async function filesUnder(root: string): Promise<readonly string[] | null> {
  const found: string[] = []
  const open: { folder: string; depth: number }[] = [{ folder: root, depth: 0 }]
  for (let visited = 0; open.length > 0 && visited < maxFolders; visited += 1) {
    const next = open.shift()
    if (next === undefined) break
    const entries = await readdir(next.folder, { withFileTypes: true }).catch(() => null)
    if (entries === null && next.depth === 0) return null
    // A nested folder that vanished or is unreadable contains no agents.
    if (entries === null) continue
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(next.folder, entry.name)
      if (entry.isDirectory() && next.depth < maxDepth && isVisited(path)) {
        open.push({ folder: path, depth: next.depth + 1 })
      } else if (!entry.isDirectory() && isAgentFile(entry.name)) {
        found.push(path)
      }
    }
  }
  return found.toSorted()
}

/** Dot folders belong to other tools (.git, .quarterdeck). Links to folders are not followed: they may form cycles. */
const isVisited = (path: string): boolean => !basename(path).startsWith('.') && !skipped.has(basename(path))

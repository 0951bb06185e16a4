// The folders with the code of this server. No agent may write to them.
import { existsSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const installation: readonly string[] = foldersOf(fileURLToPath(import.meta.url))

/** After an installation from a registry: the outermost `node_modules`. In a checkout: the folders with code. */
function foldersOf(file: string): readonly string[] {
  const modules = `${sep}node_modules`
  const at = file.indexOf(`${modules}${sep}`)
  if (at >= 0) return [file.slice(0, at + modules.length)]
  let own = dirname(file)
  while (!existsSync(join(own, 'package.json')) && dirname(own) !== own) own = dirname(own)
  const root = dirname(dirname(own))
  return ['packages', 'node_modules', 'scripts', 'package.json'].map((name) => join(root, name))
}

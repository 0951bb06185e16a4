// `npm run test:nodes [-- 20 22 24] [--test]`: tests a fresh clone of the committed state on other Node versions, as
// root and, if this is root, as an ordinary user. Prints one line per combination.
import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tryFreshClone } from './fresh-clone.mjs'
import { obtainNode } from './obtain-node.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
const majors = args.filter((arg) => /^\d+$/.test(arg))
const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-nodes-')))
await chmod(folder, 0o755)
const bundle = join(folder, 'repository.bundle')
execFileSync('git', ['bundle', 'create', '--quiet', bundle, 'HEAD'], { cwd: repository })

let failed = 0
try {
  for (const major of majors.length > 0 ? majors : ['20', '22', '24']) {
    const node = await obtainNode(major, folder)
    for (const user of users()) {
      const label = `Node ${node.version.padEnd(9)} as ${user.name.padEnd(8)}`
      try {
        console.log(`ok     ${label} ${await tryAs(user, node.bin)}`)
      } catch (error) {
        failed += 1
        console.log(`FAILED ${label} ${error instanceof Error ? error.message : error}`)
      }
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1

/**
 * @param {ReturnType<typeof users>[number]} user
 * @param {string} nodeBin
 */
async function tryAs({ name, identity }, nodeBin) {
  const own = join(folder, name)
  await mkdir(own)
  if (identity) await chown(own, identity.uid, identity.gid)
  try {
    const registry = execFileSync('npm', ['config', 'get', 'registry'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return await tryFreshClone({ bundle, folder: own, nodeBin, registry, identity, withTests: args.includes('--test') })
  } finally {
    // A clone with its install takes almost a gigabyte: removed before the next one.
    await rm(own, { recursive: true, force: true })
  }
}

/** @returns {{ name: string, identity: { uid: number, gid: number } | undefined }[]} */
function users() {
  if (process.getuid?.() !== 0) return [{ name: 'you', identity: undefined }]
  /** @param {string} flag */
  const nobody = (flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return [
    { name: 'root', identity: undefined },
    { name: 'nobody', identity: { uid: nobody('-u'), gid: nobody('-g') } },
  ]
}

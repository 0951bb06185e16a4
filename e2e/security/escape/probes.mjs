// Attempts to leave the sandbox, run by a shell, a function, an MCP server and a hook. Each attempt that succeeds is
// reported by name. Paths and secrets come from targets.json beside the agent file.
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(dirname(fileURLToPath(import.meta.url)))
const own = join(folder, 'agent.yaml')

const append = (file) => () => fs.appendFileSync(file, '\n# escaped\n')
const create = (file) => () => fs.writeFileSync(file, 'escaped')
const run = (file, ...args) => execFileSync(file, args, { stdio: 'pipe' })
const runAsOwnRoot = (script) => run('unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script)
const processes = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
const anyProcess = (use) => () => {
  for (const pid of processes()) {
    try {
      if (use(pid)) return
    } catch {
      // Try the next process.
    }
  }
  throw new Error('no process revealed a secret')
}

function attemptsAt({ root, data, home, installed, secrets, otherSession }) {
  const victim = join(root, 'agents/victim/agent.yaml')
  const hasSecret = (text) => secrets.some((secret) => text.includes(secret))
  const read = (file) => () => {
    if (!hasSecret(fs.readFileSync(file, 'latin1'))) throw new Error('nothing secret')
  }
  return {
    'append to the agent file of another agent': append(victim),
    'append to its own agent file': append(own),
    'replace its own agent file': () => {
      fs.writeFileSync(join(folder, 'new.yaml'), 'name: evil')
      fs.renameSync(join(folder, 'new.yaml'), own)
    },
    'delete its own agent file': () => fs.unlinkSync(own),
    'make its own agent file writable': () => {
      fs.chmodSync(own, 0o666)
      append(own)()
    },
    'rename the folder of its tools': () => fs.renameSync(join(folder, 'tools'), join(folder, 'old-tools')),
    'append to its own function': append(join(folder, 'tools/function.mjs')),
    'add a module beside its functions': create(join(folder, 'tools/added.mjs')),
    'append to its own hook': append(join(folder, 'hooks/hook.mjs')),
    'write a configuration file': append(join(folder, 'config.yaml')),
    'write an environment file': append(join(folder, '.env')),
    'write the configuration of the server': append(join(root, 'config.yaml')),
    'add an agent file': () => {
      fs.mkdirSync(join(root, 'agents/added'))
      create(join(root, 'agents/added/agent.yaml'))()
    },
    'rename the folder of all agents': () => fs.renameSync(join(root, 'agents'), join(root, 'old-agents')),
    'append to the installed command': append(join(installed, 'packages/cli/bin/quarterdeck.mjs')),
    'add a file to the installed engine': create(join(installed, 'packages/engine/dist/escaped.js')),
    'add a file to the installed dependencies': create(join(installed, 'node_modules/escaped.js')),
    'write to /etc': create('/etc/quarterdeck-escaped'),
    'write to /usr/local/bin': create('/usr/local/bin/quarterdeck-escaped'),
    'write to /var/tmp': create('/var/tmp/quarterdeck-escaped'),
    'write to the home folder': create(join(home, '.profile')),
    'write a token': create(join(data, 'token')),
    'write to the database': append(join(data, 'db/quarterdeck.db')),
    'remount everything writable': () => {
      run('mount', '-o', 'remount,rw,bind', '/')
      append(victim)()
    },
    'remount in another namespace': () => {
      runAsOwnRoot(`mount -o remount,rw,bind / && echo >> ${victim}`)
    },
    'uncover the data folder in another namespace': () => {
      const out = runAsOwnRoot(`umount -l ${data}; cat ${data}/token`)
      if (!hasSecret(String(out))) throw new Error('nothing secret')
    },
    'write through a hard link': () => {
      fs.linkSync(victim, join(folder, 'linked.yaml'))
      append(join(folder, 'linked.yaml'))()
    },
    'write through a symbolic link': () => {
      fs.rmSync(join(folder, 'link.yaml'), { force: true })
      fs.symlinkSync(victim, join(folder, 'link.yaml'))
      append(join(folder, 'link.yaml'))()
    },
    'read the access token': read(join(data, 'token')),
    'read the database': read(join(data, 'db/quarterdeck.db')),
    'read the write-ahead log': read(join(data, 'db/quarterdeck.db-wal')),
    'read the key of call hashes': () => void fs.readFileSync(join(data, 'db/call-key')),
    'read the environment file of the server': read(join(root, '.env')),
    'read its own environment file': read(join(folder, '.env')),
    'read the configuration in the home folder': read(join(home, '.quarterdeck/config.yaml')),
    'read a secret from its environment': () => {
      if (!hasSecret(JSON.stringify(process.env))) throw new Error('nothing secret')
    },
    'read the environment of other processes': anyProcess((pid) =>
      hasSecret(fs.readFileSync(`/proc/${pid}/environ`, 'latin1')),
    ),
    'read the token through the root of another process': anyProcess((pid) =>
      hasSecret(fs.readFileSync(`/proc/${pid}/root${data}/token`, 'latin1')),
    ),
    'read through an open file': anyProcess((pid) =>
      fs
        .readdirSync(`/proc/${pid}/fd`)
        .some((fd) => hasSecret(fs.readFileSync(`/proc/${pid}/fd/${fd}/token`, 'latin1'))),
    ),
    'read the folders of other sessions': () => {
      const others = ['claude', 'workspaces'].flatMap((name) => {
        try {
          return fs.readdirSync(join(data, name)).filter((one) => one === otherSession)
        } catch {
          return []
        }
      })
      if (others.length === 0) throw new Error('none is there')
    },
  }
}

/** Attempts that must succeed: they show that the others fail for the right reason. */
const controls = {
  'write to the workspace': create(join(folder, 'written.txt')),
  'write to the temporary folder': create('/tmp/written.txt'),
  'read its own agent file': () => void fs.readFileSync(own),
}

const succeeded = (tries) =>
  Object.entries(tries).flatMap(([name, attempt]) => {
    try {
      attempt()
      return [name]
    } catch {
      return []
    }
  })

export function probe(source) {
  const attempts = attemptsAt(JSON.parse(fs.readFileSync(join(folder, 'targets.json'), 'utf8')))
  const result = { tried: Object.keys(attempts).length, escaped: succeeded(attempts), allowed: succeeded(controls) }
  fs.writeFileSync(join(folder, `result-${source}.json`), JSON.stringify(result))
  return 'probed'
}

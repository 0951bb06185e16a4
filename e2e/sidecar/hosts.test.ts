// Users copy the example hosts, so each runs a whole session with the real command.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { command } from '../support/server/run-command.ts'
import { cleanEnvironment, examples, newFolder } from '../support/server/serve.ts'

const has = (program: string): boolean => spawnSync(program, ['--version'], { encoding: 'utf8' }).status === 0

async function runHost(name: string, argv: readonly [string, ...string[]]) {
  const folder = join(await newFolder(name), name)
  await cp(join(examples, name), folder, { recursive: true })
  const [program, ...args] = argv
  const home = await newFolder('home')
  const env = {
    ...(await cleanEnvironment(home)),
    QUARTERDECK: `${process.execPath} ${command}`,
    TMPDIR: await newFolder('data'),
    DOTNET_CLI_HOME: home,
    DOTNET_CLI_TELEMETRY_OPTOUT: '1',
    DOTNET_NOLOGO: '1',
  }
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

/** The output of each host, in this order. */
const shown = [
  'a message is answered, and its text streams',
  'a command runs once this program has allowed it',
  'the model calls a tool of this program',
  'a running turn can be interrupted',
  'the sidecar ends with its input',
  'a new sidecar goes on with the session where it was',
  'and calls the tools of this program',
  'what is refused has a code of its own',
  'the session is closed',
  'and this sidecar ends too',
]

const checked = (output: string) => [...output.matchAll(/^\[host\] ok: (.+?)\r?$/gm)].map(([, what]) => what)

describe('an example host runs a whole session', () => {
  it.skipIf(!has('python3'))('in Python', async () => {
    const { code, output } = await runHost('sidecar-python', ['python3', 'host.py'])
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(checked(output)).toEqual(shown)
  })

  it.skipIf(!has('dotnet'))(has('dotnet') ? 'in C#' : 'in C# (unverified: no dotnet here)', async () => {
    const { code, output } = await runHost('sidecar-csharp', ['dotnet', 'run'])
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(checked(output)).toEqual(shown)
  })
})

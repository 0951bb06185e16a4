import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { dataFolders } from '@quarterdeck/engine'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkPort } from '../doctor/check-port.ts'
import { exitCodeOfError } from '../exit-codes.ts'
import { portRule } from '../port.ts'
import { openServedHouse } from '../served-house.fixture.ts'
import { openTestTerminal } from '../terminal.fixture.ts'
import { doctor } from './doctor.ts'

const names = ['Node', 'Claude CLI', 'Provider key', 'Process tree', 'Keys', 'Token and log', 'Data folder', 'Port']

/** A port somebody else has, until the test ends. */
async function takePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return String(address.port)
}

async function examine(env: Readonly<Record<string, string>>, data?: string) {
  const { terminal, stdout } = await openTestTerminal({ piped: '', env })
  const code = await doctor(terminal, { json: true, ...(data === undefined ? {} : { data }) })
  const checks: { name: string; verdict: string; finding: string; mend: string | null }[] = JSON.parse(stdout()).checks
  return { code, checks, check: (name: string) => checks.find((one) => one.name === name) }
}

describe('quarterdeck doctor', () => {
  it('checks everything, and what is amiss comes with a way to mend it', async () => {
    const { checks } = await examine({ QUARTERDECK_PORT: await takePort() })
    expect(checks.map(({ name }) => name)).toEqual(names)
    for (const { verdict, mend } of checks) expect(mend === null).toBe(verdict === 'ok')
  })

  it('finds a missing key and a taken port, which stop nobody', async () => {
    const port = await takePort()
    const { code, checks, check } = await examine({ QUARTERDECK_PORT: port })
    expect(check('Provider key')).toMatchObject({ verdict: 'warn', mend: expect.stringContaining('simulator') })
    expect(check('Port')).toMatchObject({ verdict: 'warn', finding: `${port} is taken` })
    expect(code).toBe(checks.some(({ verdict }) => verdict === 'fail') ? 3 : 0)
  })

  it('knows the port of the server on this folder as its own', async () => {
    const house = await openServedHouse([])
    const { port } = new URL(house.url)
    const { terminal, stdout } = await house.openTerminal({ QUARTERDECK_PORT: port })
    await doctor(terminal, {})
    expect(stdout()).toContain(`ok    Port: ${port} is taken by the server of this data folder`)
    const elsewhere = await examine({ QUARTERDECK_PORT: port })
    expect(elsewhere.check('Port')).toMatchObject({ verdict: 'warn', finding: `${port} is taken` })
  })

  it.each(['abc', '70000', '-1', '', '80.5'])(
    'says that the port "%s" is none, which is 2 to a script',
    async (port) => {
      const { terminal } = await openTestTerminal({ piped: '', env: { QUARTERDECK_PORT: port } })
      const failure = await doctor(terminal, {}).catch((error: unknown) => error)
      expect(failure).toMatchObject({ message: `QUARTERDECK_PORT is "${port}": it ${portRule}` })
      expect(exitCodeOfError(failure)).toBe(2)
    },
  )

  it('tells a port that cannot be used from one that is taken', async () => {
    // An address kept for documentation: no machine has it.
    expect(await checkPort(4300, { host: '192.0.2.1' })).toMatchObject({
      verdict: 'warn',
      finding: expect.stringMatching(/^4300 cannot be used: .*EADDRNOTAVAIL/),
      mend: expect.stringContaining('--port'),
    })
  })

  it('never shows the key it found', async () => {
    const { terminal, stdout } = await openTestTerminal({ env: { ANTHROPIC_API_KEY: 'made-up-key-for-tests-only' } })
    await doctor(terminal, {})
    expect(stdout()).toContain('ok    Provider key: ANTHROPIC_API_KEY is set')
    expect(stdout()).not.toContain('made-up')
  })

  it('leaves the data folder as it was, and says what is wrong with one', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await doctor(terminal, { data: 'fresh' })
    expect(stdout()).toContain(`${join(terminal.cwd, 'fresh')} will be made`)
    expect(existsSync(join(terminal.cwd, 'fresh'))).toBe(false)
    const { database, databaseFolder } = dataFolders(join(terminal.cwd, 'bad'))
    await mkdir(databaseFolder, { recursive: true })
    await writeFile(database, 'not a database, but long enough to look like one'.repeat(100))
    await doctor(terminal, { data: 'bad' })
    expect(stdout()).toMatch(/warn {2}Data folder: .*\n.*--data/)
  })
})

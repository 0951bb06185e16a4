// How the commands handle a data folder that has lost data.
import { copyFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFolders } from '@quarterdeck/engine'
import { expect, it } from 'vitest'
import { agentText, say, scripted, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { dataFolder } from '../../flags/runtime-options.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { run } from '../run/run.ts'
import { type ServeFlags, serve } from '../serve/serve.ts'
import { listSessions } from '../sessions/sessions.ts'
import { verifyAudit } from './audit.ts'

async function openProject() {
  const { terminal } = await openTestTerminal({ piped: '' })
  const agent = await writeAgent(terminal.cwd, agentText)
  const database = dataFolders(dataFolder(terminal, {})).database
  const openTerminal = () => openTestTerminal({ piped: '', cwd: terminal.cwd })
  /** Returns the id of the new session. */
  const runOnce = async (): Promise<string> => {
    await run((await openTerminal()).terminal, { agent, message: 'go', flags: {} }, scripted([[say('fine')]]))
    const listed = await openTerminal()
    await listSessions(listed.terminal, {})
    return /ses_\w+/.exec(listed.stdout())?.[0] ?? ''
  }
  const verify = async (flags: Parameters<typeof verifyAudit>[1] = {}) => {
    const { terminal: screen, stdout } = await openTerminal()
    return { code: await verifyAudit(screen, flags), text: stdout() }
  }
  /** Starts a server, waits until it is ready and stops it. */
  const serveOnce = async (flags: Partial<ServeFlags> = {}) => {
    const { terminal: screen, stdout, signal } = await openTerminal()
    const serving = serve(screen, {
      paths: [],
      flags: { port: 0, host: '127.0.0.1', open: false, graceSeconds: 0, ...flags },
    })
    let isOver = false
    const over = serving.finally(() => {
      isOver = true
    })
    await Promise.allSettled([
      over.catch(() => undefined),
      expect
        .poll(() => isOver || stdout().includes('Ctrl-C stops.'), { timeout: 60_000 })
        .toBe(true)
        .then(signal),
    ])
    return over
  }
  return { cwd: terminal.cwd, database, runOnce, verify, serveOnce }
}

it('audit verify and serve name the session that an old database lacks, and serve --accept-loss starts', async () => {
  const { database, runOnce, verify, serveOnce } = await openProject()
  const backedUp = await runOnce()
  await copyFile(database, `${database}.backup`)
  const lost = await runOnce()
  expect(lost).not.toBe(backedUp)
  await copyFile(`${database}.backup`, database)
  const found = await verify()
  expect(found.code).toBe(1)
  expect(found.text).toMatch(/^broken at entry \d+ \(truncated\): /)
  expect(found.text.match(/ses_\w+/g)).toEqual([lost])
  await expect(serveOnce()).rejects.toMatchObject({
    code: 'store.corrupt',
    message: expect.stringMatching(new RegExp(`${lost}.*quarterdeck serve --accept-loss`)),
  })
  expect(await serveOnce({ acceptLoss: true })).toBe(0)
  expect(await verify()).toMatchObject({ code: 0, text: expect.stringContaining('the chain is intact') })
  expect(await serveOnce()).toBe(0)
})

it.each(['deleted', 'empty'])('audit verify, serve and run refuse a folder whose database is %s', async (state) => {
  const { database, runOnce, verify, serveOnce } = await openProject()
  await runOnce()
  if (state === 'deleted') await rm(database)
  else await truncate(database, 0)
  for (const command of [verify, serveOnce, runOnce]) {
    await expect(command()).rejects.toMatchObject({ code: 'store.corrupt' })
    await expect(command()).rejects.toThrow(database)
  }
  expect(await serveOnce({ acceptLoss: true })).toBe(0)
  expect(await verify()).toMatchObject({ code: 0 })
})

it('audit verify --copy reports the head that serve --audit-copy sent and the chain lacks', async () => {
  const { cwd, database, runOnce, verify, serveOnce } = await openProject()
  await runOnce()
  await copyFile(database, `${database}.backup`)
  expect(await serveOnce({ auditCopy: 'elsewhere' })).toBe(0)
  expect(await verify({ copy: 'elsewhere' })).toMatchObject({
    code: 0,
    text: expect.stringContaining(`it contains every head in ${join(cwd, 'elsewhere')}`),
  })
  // An attacker restores the database and removes the heads beside it.
  await copyFile(`${database}.backup`, database)
  await rm(`${database}-heads`)
  expect(await verify()).toMatchObject({ code: 0 })
  const found = await verify({ copy: 'elsewhere', json: true })
  expect(found.code).toBe(1)
  expect(JSON.parse(found.text)).toMatchObject({ ok: false, problem: 'truncated' })
  await expect(verify({ copy: 'nowhere' })).rejects.toMatchObject({ code: 'config.unreadable' })
})

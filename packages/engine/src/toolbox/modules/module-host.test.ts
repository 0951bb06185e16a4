import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../../telemetry/logger.ts'
import { createModuleHost } from './module-host.ts'

it('a module that is loaded is there for the next session, also while a function holds the thread', async () => {
  const project = mkdtempSync(join(tmpdir(), 'quarterdeck-module-host-'))
  onTestFinished(() => rmSync(project, { recursive: true }))
  const file = join(project, 'lookup.mjs')
  writeFileSync(file, 'export const spin = () => { for (;;); }')
  const host = createModuleHost({
    ...{ agentName: 'clerk', project, env: {}, isWatching: false, redact: (text) => text, logger: silentLogger },
  })
  onTestFinished(host.close)
  const spin = { file, name: 'spin' }
  expect(await host.load(spin)).toBeNull()
  const context = { sessionId: 'one', cwd: project }
  const call = { export: spin, input: {}, context, checksInput: false, timeoutMs: 600_000 }
  const spinning = host.call(call, new AbortController().signal).catch(String)
  expect(await host.load(spin)).toBeNull()
  await host.close()
  expect(await spinning).toContain('the server ends')
})

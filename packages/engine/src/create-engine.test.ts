import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modelCatalog } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { testAgent } from './agent-definition.fixture.ts'
import { createEngine, type EngineOptions } from './create-engine.ts'
import { silentLogger } from './telemetry/logger.ts'

it('closes what it has opened when it cannot be put together, and the folder is free again', async () => {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-assembly-')))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const agent = testAgent(dataDir)
  const closed: string[] = []
  const options: EngineOptions = {
    ...{ dataDir, role: 'server', address: null, canAsk: true, shellPath: '/usr/bin', logger: silentLogger },
    agents: { list: async () => [], load: async () => agent, catalog: async () => modelCatalog },
    connectModels: () => ({
      openSession: async () => ({ type: 'environment', variables: {} }),
      closeSession: () => undefined,
      close: async () => void closed.push('gateway'),
    }),
    secrets: () => [],
  }
  const broken = {
    ...options,
    // Read after everything is there but the sessions of an earlier server.
    get budgets(): never {
      throw new Error('the budgets cannot be read')
    },
  }
  await expect(createEngine(broken)).rejects.toThrow('the budgets cannot be read')
  expect(closed).toEqual(['gateway'])
  const engine = await createEngine(options)
  await engine.close()
  expect(closed).toEqual(['gateway', 'gateway'])
})

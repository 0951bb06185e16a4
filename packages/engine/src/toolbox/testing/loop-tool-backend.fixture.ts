import type { CatalogModel } from '@quarterdeck/protocol'
import type { InProcessAccess } from '../../backends/backend.ts'
import { openLoopWorld } from '../../backends/loop/testing/loop-world.fixture.ts'
import type { OpenToolBackend } from './tool-house.fixture.ts'

/** The loop for a house of tools; with other models where their prices matter. */
export const loopToolBackend =
  (wire: InProcessAccess['wire'], catalog?: readonly CatalogModel[]): OpenToolBackend =>
  async (agent, steps) => {
    const backend = catalog === undefined ? {} : { catalog: async () => catalog }
    const world = await openLoopWorld({ wire, steps, agent, backend })
    const { modelAccess } = world.options()
    return {
      backend: {
        ...world.backend,
        createSession: (options) => world.backend.createSession({ ...options, modelAccess }),
      },
      dataDir: world.dataDir,
      asked: () => world.requests().map((request) => JSON.stringify(request)),
      close: world.close,
    }
  }

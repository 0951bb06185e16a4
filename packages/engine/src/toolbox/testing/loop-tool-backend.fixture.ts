import type { CatalogModel } from '@quarterdeck/protocol'
import { openLoopHarness } from '../../backends/loop/testing/loop-harness.fixture.ts'
import type { InProcessAccess } from '../../ports/model-access.ts'
import type { OpenToolBackend } from './tool-harness.fixture.ts'

/** The loop for a tool harness, with other models for tests about prices. */
export const loopToolBackend =
  (wire: InProcessAccess['wire'], catalog?: readonly CatalogModel[]): OpenToolBackend =>
  async (agent, steps) => {
    const backend = catalog === undefined ? {} : { catalog: async () => catalog }
    const harness = await openLoopHarness({ wire, steps, agent, backend })
    const { modelAccess } = harness.options()
    return {
      backend: {
        ...harness.backend,
        createSession: (options) => harness.backend.createSession({ ...options, modelAccess }),
      },
      dataDir: harness.dataDir,
      asked: () => harness.requests().map((request) => JSON.stringify(request)),
      close: harness.close,
    }
  }

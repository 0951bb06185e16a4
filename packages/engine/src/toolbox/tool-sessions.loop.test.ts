import { openLoopWorld, wires } from '../backends/loop/testing/loop-world.fixture.ts'
import { describeToolSessions } from './tool-sessions.contract.ts'

for (const wire of wires) {
  describeToolSessions(`the loop over the ${wire} wire`, async (agent, steps) => {
    const world = await openLoopWorld({ wire, steps, agent })
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
  })
}
